//! The matrix of a high-level data race.

use super::{LOCKS, Matrix, Row, STEPS};
use crate::{Role, View, Witness};

/// The matrix of the views that the witness tells; without views, of what its steps use from acquire to acquire.
pub(super) fn matrix(witness: &Witness) -> Option<Matrix> {
    let views = match witness.views.as_slice() {
        [] => from_steps(witness),
        views => views.iter().take(STEPS).cloned().collect(),
    };
    let (whole, others) = views.split_first()?;
    if others.is_empty() {
        return None;
    }
    // What is used apart first: the rest of the big block matters less.
    let mut fields: Vec<String> = Vec::new();
    for field in others.iter().chain([whole]).flat_map(|view| view.fields.iter().take(STEPS)) {
        if fields.len() < STEPS && !fields.contains(field) {
            fields.push(field.clone());
        }
    }
    let rows: Vec<Row> = views.iter().map(|view| row(view, &fields)).collect();
    let (pair, diverging) = diverging(&rows);
    Some(Matrix { fields, rows, pair, diverging })
}

fn row(view: &View, fields: &[String]) -> Row {
    Row {
        thread: view.thread.clone(),
        role: view.role,
        lock: view.lock.clone(),
        at: view.at.clone(),
        uses: fields.iter().map(|field| view.fields.contains(field)).collect(),
    }
}

/// Two columns and two rows.
type Pairs = (Option<(usize, usize)>, Option<(usize, usize)>);

/// The first two rows behind the first one of which neither contains the other, and a column that only the one has
/// and one that only the other has.
fn diverging(rows: &[Row]) -> Pairs {
    let only = |a: &Row, b: &Row| a.uses.iter().zip(&b.uses).position(|(a, b)| *a && !*b);
    for (i, one) in rows.iter().enumerate().skip(1) {
        for (j, other) in rows.iter().enumerate().skip(i + 1) {
            if let (Some(a), Some(b)) = (only(one, other), only(other, one)) {
                return (Some((a, b)), Some((i, j)));
            }
        }
    }
    (None, None)
}

fn from_steps(witness: &Witness) -> Vec<View> {
    let mut views: Vec<View> = Vec::new();
    for step in witness.steps.iter().take(STEPS) {
        match (step.role, views.last_mut()) {
            (Role::Acquire, _) => views.push(View {
                thread: step.thread.clone(),
                role: Role::Use,
                lock: step.target.clone(),
                at: step.place.clone(),
                fields: Vec::new(),
            }),
            (Role::Read | Role::Write, Some(view)) if view.thread == step.thread => {
                view.role =
                    if view.fields.is_empty() || view.role == step.role { step.role } else { Role::Use };
                if view.fields.len() < LOCKS {
                    view.fields.push(step.target.clone());
                }
            }
            _ => {}
        }
    }
    views
}
