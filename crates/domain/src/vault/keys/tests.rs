use std::sync::Mutex;

use pollster::block_on;

use super::*;
use crate::vault::{MockVault, ports::MockKeyProbes, probe_place};

const KEEP_BOTH: Result<ProbeDecision, WrongKey> = Ok(ProbeDecision::Keep { sealed: true, hash: true });
const RIGHT: Result<ProbeDecision, WrongKey> = Ok(ProbeDecision::Found(KeysFound::Right));

#[test]
fn what_is_kept_decides_whatever_the_rows_say() {
    for traced in [Trace::Nothing, Trace::Right, Trace::Wrong, Trace::Unclear] {
        let traces = Traces { sealed: traced, hashed: traced, bound: false };
        assert_eq!(decide(Some(true), Some(true), traces), RIGHT);
        assert_eq!(decide(Some(true), Some(false), traces), Err(WrongKey::Hash));
        assert_eq!(decide(Some(false), Some(true), traces), Err(WrongKey::Master));
        // The hash key is derived from the master key, so a wrong master key makes it wrong, too.
        assert_eq!(decide(Some(false), Some(false), traces), Err(WrongKey::Master));
    }
}

#[test]
fn where_nothing_is_kept_only_what_is_right_or_new_becomes_so() {
    let only_sealed = Ok(ProbeDecision::Keep { sealed: true, hash: false });
    for (sealed, hashed, decided) in [
        (Trace::Nothing, Trace::Nothing, KEEP_BOTH),
        (Trace::Right, Trace::Right, KEEP_BOTH),
        (Trace::Right, Trace::Nothing, KEEP_BOTH),
        (Trace::Right, Trace::Unclear, only_sealed),
        (Trace::Nothing, Trace::Unclear, only_sealed),
        (Trace::Right, Trace::Wrong, Err(WrongKey::Hash)),
        (Trace::Wrong, Trace::Nothing, Err(WrongKey::Master)),
        (Trace::Wrong, Trace::Unclear, Err(WrongKey::Master)),
    ] {
        assert_eq!(
            decide(None, None, Traces { sealed, hashed, bound: false }),
            decided,
            "{sealed:?} {hashed:?}"
        );
    }
    let unclear = Traces { hashed: Trace::Unclear, ..Traces::default() };
    assert_eq!(decide(Some(true), None, unclear), Ok(ProbeDecision::Found(KeysFound::HashKeyUnclear)));
    let shown = Traces { sealed: Trace::Right, hashed: Trace::Right, bound: false };
    assert_eq!(decide(Some(true), None, shown), Ok(ProbeDecision::Keep { sealed: false, hash: true }));
}

/// Returns a vault with the key of this number; its values begin with the number and whether they are bound.
fn vault(number: u8) -> MockVault {
    let binding = Arc::new(Mutex::new(Binding::Complete));
    let of = || Arc::clone(&binding);
    let mut vault = MockVault::new();
    let at = of();
    vault.expect_seal().returning(move |plain, place| {
        assert_eq!(*place, probe_place());
        let bound = u8::from(*at.lock().unwrap() > Binding::NotYet);
        Ok([&[number, bound], plain].concat())
    });
    let at = of();
    vault.expect_open().returning(move |sealed, _| {
        let bound = sealed.strip_prefix(&[number, 1]).map(<[u8]>::to_vec);
        let either = *at.lock().unwrap() < Binding::Complete;
        let unbound = sealed.strip_prefix(&[number, 0]).filter(|_| either).map(<[u8]>::to_vec);
        bound.or(unbound).ok_or(VaultError::CannotOpen)
    });
    let at = of();
    vault.expect_binding().returning(move || *at.lock().unwrap());
    vault.expect_bind().returning(move |now| *binding.lock().unwrap() = now);
    vault.expect_keyed_hash().returning(move |_, _| [number; 32]);
    vault
}

/// Returns a check of the keys of this number against `kept`.
fn keys(number: u8, kept: &Arc<Mutex<KeyProbe>>, traces: Traces) -> CheckKeys {
    let vault = vault(number);
    let mut probes = MockKeyProbes::new();
    let read = Arc::clone(kept);
    probes.expect_key_probe().returning(move || Ok(read.lock().unwrap().clone()));
    probes.expect_traces().returning(move || Ok(traces));
    let keeps = Arc::clone(kept);
    probes.expect_keep_key_probe().returning(move |probe| {
        let mut kept = keeps.lock().unwrap();
        kept.sealed = kept.sealed.take().or(probe.sealed.clone());
        kept.hash = kept.hash.or(probe.hash);
        Ok(())
    });
    let replaces = Arc::clone(kept);
    probes.expect_replace_key_probe().returning(move |probe| {
        replaces.lock().unwrap().clone_from(probe);
        Ok(())
    });
    let advances = Arc::clone(kept);
    probes.expect_advance_key_probe().returning(move |was, now| {
        let mut kept = advances.lock().unwrap();
        let is_there = kept.sealed.as_deref() == Some(was);
        if is_there {
            kept.sealed = Some(now.to_vec());
        }
        Ok(is_there)
    });
    CheckKeys { probes: Arc::new(probes), vault: Arc::new(vault) }
}

fn wrong(found: Result<KeysFound, CheckKeysError>) -> WrongKey {
    match found {
        Err(CheckKeysError::Wrong(wrong)) => wrong,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_new_database_is_its_first_keys_and_no_other_s_until_others_are_adopted() {
    let kept = Arc::default();
    let (first, second) = (keys(1, &kept, Traces::default()), keys(2, &kept, Traces::default()));
    assert_eq!(block_on(first.run()).unwrap(), KeysFound::Right);
    assert_eq!(block_on(first.run()).unwrap(), KeysFound::Right);
    assert_eq!(wrong(block_on(second.run())), WrongKey::Master);
    block_on(second.adopt()).unwrap();
    assert_eq!(block_on(second.run()).unwrap(), KeysFound::Right);
    assert_eq!(wrong(block_on(first.run())), WrongKey::Master);
}

#[test]
fn who_is_first_at_the_same_time_with_other_keys_is_refused() {
    let kept: Arc<Mutex<KeyProbe>> = Arc::default();
    let mut second = keys(2, &kept, Traces::default());
    let mut probes = MockKeyProbes::new();
    let read = Arc::clone(&kept);
    probes.expect_key_probe().returning(move || Ok(read.lock().unwrap().clone()));
    probes.expect_traces().returning(|| Ok(Traces::default()));
    // Another process keeps its probe between the reading and the writing of this one.
    probes.expect_keep_key_probe().once().returning(move |_| {
        let first = keys(1, &kept, Traces::default());
        block_on(first.run()).unwrap();
        Ok(())
    });
    second.probes = Arc::new(probes);
    assert_eq!(wrong(block_on(second.run())), WrongKey::Master);
}

#[test]
fn an_older_database_keeps_what_it_can_tell_and_says_what_it_cannot() {
    let kept: Arc<Mutex<KeyProbe>> = Arc::default();
    let unclear = Traces { sealed: Trace::Right, hashed: Trace::Unclear, bound: false };
    assert_eq!(block_on(keys(1, &kept, unclear).run()).unwrap(), KeysFound::HashKeyUnclear);
    assert!(kept.lock().unwrap().sealed.is_some() && kept.lock().unwrap().hash.is_none());
    let shown = Traces { hashed: Trace::Right, ..unclear };
    assert_eq!(block_on(keys(1, &kept, shown).run()).unwrap(), KeysFound::Right);
    assert_eq!(kept.lock().unwrap().hash, Some([1; 32]));
}

/// Returns the form of a database without a probe whose rows say this.
fn first_of(traces: Traces) -> Binding {
    let keys = keys(1, &Arc::default(), traces);
    block_on(keys.run()).unwrap();
    keys.vault.binding()
}

#[test]
fn a_new_database_binds_all_its_values_and_an_older_one_none_of_them_yet() {
    let older = Traces { sealed: Trace::Right, ..Traces::default() };
    assert_eq!(first_of(Traces::default()), Binding::Complete);
    assert_eq!(first_of(older), Binding::NotYet);
    assert_eq!(first_of(Traces { bound: true, ..older }), Binding::Complete, "its probe was taken away");
}

#[test]
fn every_process_goes_on_with_the_database_and_none_goes_back() {
    let kept = Arc::default();
    let older = Traces { sealed: Trace::Right, ..Traces::default() };
    let (node, command) = (keys(1, &kept, older), keys(1, &kept, older));
    for keys in [&node, &command] {
        block_on(keys.run()).unwrap();
        assert_eq!(keys.vault.binding(), Binding::NotYet);
    }
    for binding in [Binding::Begun, Binding::Complete] {
        let before = kept.lock().unwrap().clone();
        assert_eq!(block_on(command.go_on_to(binding)).unwrap(), binding);
        assert_eq!(block_on(command.go_on_to(Binding::Begun)).unwrap(), binding, "it is there already");
        assert_eq!(block_on(node.learn()).unwrap(), binding);
        // An older probe is put back under a running node.
        let after = std::mem::replace(&mut *kept.lock().unwrap(), before);
        assert_eq!(block_on(node.learn()).unwrap(), binding);
        *kept.lock().unwrap() = after;
        block_on(node.adopt()).unwrap();
        let fresh = keys(1, &kept, older);
        block_on(fresh.run()).unwrap();
        assert_eq!(fresh.vault.binding(), binding, "other keys do not change how far it is");
    }
    assert_eq!(wrong(block_on(keys(2, &kept, older).run())), WrongKey::Master);
}
