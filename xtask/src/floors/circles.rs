//! Circles among things that import each other.

use std::collections::{BTreeMap, BTreeSet};

/// Arrows, and how many imports each stands for.
pub(super) type Weights<N> = BTreeMap<(N, N), usize>;

/// Lists the sets of things each of which reaches each other one (the strongly connected components of more
/// than one), largest first.
pub(super) fn circles<N: Copy + Ord>(weights: &Weights<N>) -> Vec<BTreeSet<N>> {
    let (mut forth, mut back) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
    for &(from, to) in weights.keys() {
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

/// Finds few arrows without which a circle is none: those that run up in an order with few of them. The
/// order is found by taking away whatever has nothing above it or below it, else what has the most below it
/// and the least above it (Eades, Lin and Smyth), and then by moving single things.
pub(super) fn few_cuts<N: Copy + Ord>(circle: &BTreeSet<N>, weights: &Weights<N>) -> Vec<(N, N)> {
    let inner = |(from, to): &(N, N)| circle.contains(from) && circle.contains(to);
    let weights: Weights<N> =
        weights.iter().filter(|(arrow, _)| inner(arrow)).map(|(arrow, weight)| (*arrow, *weight)).collect();
    let mut order = first_order(circle.clone(), &weights);
    while let Some(better) = circle.iter().find_map(|&one| moved(one, &order, &weights)) {
        order = better;
    }
    let place: BTreeMap<N, usize> = order.into_iter().zip(0..).collect();
    weights.into_keys().filter(|(from, to)| place.get(to) < place.get(from)).collect()
}

/// Orders things from the top down.
fn first_order<N: Copy + Ord>(mut rest: BTreeSet<N>, weights: &Weights<N>) -> Vec<N> {
    // Imports of what is left, down and up.
    let (mut below, mut above) = (BTreeMap::<N, usize>::new(), BTreeMap::<N, usize>::new());
    for (&(from, to), weight) in weights {
        *below.entry(from).or_default() += weight;
        *above.entry(to).or_default() += weight;
    }
    let count = |counts: &BTreeMap<N, usize>, one| counts.get(&one).copied().unwrap_or_default();
    let (mut upper, mut lower) = (Vec::new(), Vec::new());
    loop {
        let lowest = rest.iter().find(|&&one| count(&below, one) == 0).copied();
        let highest = || {
            let counts = |one| (count(&below, one), count(&above, one));
            let key = |&one: &N| match counts(one) {
                (_, 0) => (true, 0),
                (below, above) => (false, below.saturating_sub(above)),
            };
            rest.iter().copied().max_by_key(key)
        };
        let Some(one) = lowest.or_else(highest) else { break };
        if lowest.is_some() {
            lower.push(one);
        } else {
            upper.push(one);
        }
        rest.remove(&one);
        for (&(from, to), weight) in weights {
            if from == one {
                above.entry(to).and_modify(|count| *count -= weight);
            } else if to == one {
                below.entry(from).and_modify(|count| *count -= weight);
            }
        }
    }
    upper.extend(lower.into_iter().rev());
    upper
}

/// Moves one thing to where the fewest imports run up; `None` if it stands there.
fn moved<N: Copy + Ord>(one: N, order: &[N], weights: &Weights<N>) -> Option<Vec<N>> {
    let weight = |from, to| weights.get(&(from, to)).copied().unwrap_or_default();
    let others: Vec<N> = order.iter().copied().filter(|&other| other != one).collect();
    // Above all others, whatever imports it runs up.
    let mut costs = vec![others.iter().map(|&other| weight(other, one)).sum::<usize>()];
    for &other in &others {
        let cost = costs.last().copied().unwrap_or_default();
        costs.push(cost + weight(one, other) - weight(other, one));
    }
    let (place, cost) = costs.iter().enumerate().min_by_key(|(_, cost)| **cost)?;
    let stands = order.iter().position(|&other| other == one)?;
    if costs.get(stands)? <= cost {
        return None;
    }
    let mut moved = others;
    moved.insert(place, one);
    Some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(text: &'static str) -> Weights<&'static str> {
        text.split(' ').map(|arrow| (arrow.split_once("->").unwrap(), 1)).collect()
    }

    #[test]
    fn circles_are_found_largest_first() {
        let found = circles(&arrows("a->b b->c c->d d->b d->e e->f f->e f->g"));
        assert_eq!(found, [BTreeSet::from(["b", "c", "d"]), BTreeSet::from(["e", "f"])]);
        assert_eq!(circles(&arrows("a->b b->c a->c d->c")), Vec::<BTreeSet<&str>>::new());
    }

    #[test]
    fn the_cuts_are_the_few_arrows_that_run_up() {
        for (text, cuts) in [
            ("a->b b->c c->a a->c", "c->a"),
            ("a->b a->c a->d b->c c->d d->a b->d", "d->a"),
            ("a->b b->a a->c c->b b->d d->a", "b->a b->d"),
        ] {
            let mut arrows = arrows(text);
            arrows.insert(("d", "elsewhere"), 9);
            let circle = circles(&arrows).remove(0);
            let found: Vec<_> = few_cuts(&circle, &arrows).iter().map(|(a, b)| format!("{a}->{b}")).collect();
            assert_eq!(found.len(), cuts.split(' ').count(), "{text}: {found:?}");
        }
    }

    #[test]
    fn an_arrow_of_many_imports_stays() {
        let mut arrows = arrows("a->b b->a");
        arrows.insert(("b", "a"), 2);
        assert_eq!(few_cuts(&circles(&arrows).remove(0), &arrows), [("a", "b")]);
    }
}
