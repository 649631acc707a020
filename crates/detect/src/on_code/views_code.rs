//! `views-code`: the definition of 2003 on the views that code has, for comparison: the column "Artho" of MoTH's tables.
