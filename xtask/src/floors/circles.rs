//! Circles among things that import each other.

use std::collections::{BTreeMap, BTreeSet};

/// Pairs of which the first imports the second.
pub(super) type Arrows<N> = BTreeSet<(N, N)>;

/// Lists the sets of things each of which reaches each other one (the strongly connected components of more
/// than one), largest first.
pub(super) fn circles<N: Copy + Ord>(arrows: &Arrows<N>) -> Vec<BTreeSet<N>> {
    let (mut forth, mut back) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
    for &(from, to) in arrows {
        forth.entry(from).or_default().push(to);
        back.entry(to).or_default().push(from);
    }
    let (mut circles, mut placed) = (Vec::new(), BTreeSet::new());
    for &start in forth.keys() {
        if !placed.contains(&start) {
            let circle: BTreeSet<N> = &reached(start, &forth) & &reached(start, &back);
            placed.extend(circle.iter().copied());
            if circle.len() > 1 {
                circles.push(circle);
            }
        }
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

fn reached<N: Copy + Ord>(start: N, arrows: &BTreeMap<N, Vec<N>>) -> BTreeSet<N> {
    let mut reached = BTreeSet::from([start]);
    let mut ways = vec![start];
    while let Some(at) = ways.pop() {
        ways.extend(arrows.get(&at).into_iter().flatten().copied().filter(|&next| reached.insert(next)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(text: &'static str) -> Arrows<&'static str> {
        text.split(' ').map(|arrow| arrow.split_once("->").unwrap()).collect()
    }

    #[test]
    fn circles_are_found_largest_first() {
        let found = circles(&arrows("a->b b->c c->d d->b d->e e->f f->e f->g"));
        assert_eq!(found, [BTreeSet::from(["b", "c", "d"]), BTreeSet::from(["e", "f"])]);
        assert_eq!(circles(&arrows("a->b b->c a->c d->c")), Vec::<BTreeSet<&str>>::new());
    }
}
