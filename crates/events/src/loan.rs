//! Something that its owner lends to other threads, and changes only when all have given it back.
//!
//! Whoever reads a trace goes on while others still look at what it read last; only a new name has to wait for them.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The owner's side. Looking never waits; changing waits until every [`Loan`] has been dropped, so whoever holds one on the
/// same thread would wait for ever.
#[derive(Default, Debug)]
pub struct Lender<T> {
    value: Arc<T>,
    loans: Arc<Loans>,
}

/// How many loans there are.
#[derive(Default, Debug)]
struct Loans {
    count: Mutex<usize>,
    fewer: Condvar,
}

/// What was lent, until it is dropped.
#[derive(Debug)]
pub struct Loan<T> {
    value: Arc<T>,
    /// After the value: fields are dropped in their order.
    _back: Back,
}

/// Tells the owner when it is dropped.
#[derive(Debug)]
struct Back(Arc<Loans>);

impl<T> Lender<T> {
    /// Something to be lent.
    pub fn new(value: T) -> Self {
        Self { value: Arc::new(value), loans: Arc::default() }
    }

    /// What is lent, once all have given it back.
    pub fn into_inner(self) -> T
    where
        T: Clone,
    {
        self.loans.wait();
        Arc::unwrap_or_clone(self.value)
    }

    /// Lends it.
    pub fn lend(&self) -> Loan<T> {
        *self.loans.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Loan { value: self.value.clone(), _back: Back(self.loans.clone()) }
    }
}

impl<T> Deref for Lender<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Clone> DerefMut for Lender<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        if Arc::strong_count(&self.value) > 1 {
            self.loans.wait();
        }
        // Nobody else has it any more, so nothing is copied.
        Arc::make_mut(&mut self.value)
    }
}

impl Loans {
    #[cold]
    fn wait(&self) {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        while *count > 0 {
            count = self.fewer.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Deref for Loan<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl Drop for Back {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.fewer.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_waits_until_all_loans_are_back_and_copies_nothing() {
        let mut lender = Lender::new(vec![1]);
        let place = lender.as_ptr();
        let loans: Vec<_> = (0..3).map(|_| lender.lend()).collect();
        let readers: Vec<_> = loans
            .into_iter()
            .map(|loan| {
                std::thread::spawn(move || {
                    for _ in 0..50 {
                        assert_eq!(loan.as_slice(), [1], "nothing changes under a reader");
                        std::thread::yield_now();
                    }
                })
            })
            .collect();
        if let Some(first) = lender.first_mut() {
            *first = 2;
        }
        assert_eq!((lender.as_slice(), lender.as_ptr()), ([2].as_slice(), place));
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    }

    #[test]
    fn a_thread_that_panics_gives_back_what_it_had() {
        let mut lender = Lender::new(1);
        let loan = lender.lend();
        let ended = std::thread::spawn(move || assert_eq!(*loan, 2)).join();
        assert!(ended.is_err());
        *lender += 1;
        assert_eq!(*lender, 2);
    }
}
