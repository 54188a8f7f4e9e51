//! W3C trace context (`traceparent`): taken from callers, stored beside what they cause, passed on to
//! receivers.
//!
//! Without a collector nothing here does anything: spans belong to no trace then, and no header is written.

use opentelemetry::{
    Context,
    propagation::{Extractor, Injector, TextMapPropagator},
    trace::TraceContextExt as _,
};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::{Span, field::Value};
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Header that names a trace and the current step in it.
pub const TRACEPARENT: &str = "traceparent";

/// Continues the trace that `given` names with `span`, which must not have been entered yet. An invalid or
/// missing `traceparent` begins a trace of its own.
pub fn continue_trace(span: &Span, given: Option<&str>) {
    let Some(given) = given else { return };
    let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &Given(given));
    // Without a collector there is nothing to continue.
    let _ = span.set_parent(parent);
}

/// Returns the `traceparent` of the current span; `None` if it belongs to no trace.
pub fn current() -> Option<String> {
    let mut written = Written(None);
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut written);
    written.0
}

/// Records a field in `span` that only a trace shows. Without a collector it is left out: the log would write
/// all fields of the span again for each one recorded.
pub fn note(span: &Span, field: &'static str, value: impl Value) {
    if span.context().span().span_context().is_valid() {
        span.record(field, value);
    }
}

/// Renames `span` in its trace, if there is one.
pub fn rename(span: &Span, name: impl FnOnce() -> String) {
    let context = span.context();
    let traced = context.span();
    if traced.span_context().is_valid() {
        traced.update_name(name());
    }
}

/// A recorded trace, and the current span's position in it.
pub struct Trace(Context);

impl Trace {
    /// Returns the trace of the current span; `None` if it belongs to none, or to one outside of the sampled
    /// share.
    pub fn of_current() -> Option<Self> {
        let context = Span::current().context();
        let is_sent = context.span().span_context().is_sampled();
        is_sent.then(|| Self(context))
    }

    /// Makes `span`, which was created without a parent, a step below the current span. Ends when dropped,
    /// and unlike a child keeps nothing above it open.
    pub fn step(self, span: Span) -> Span {
        // With a trace there is a collector.
        let _ = span.set_parent(self.0);
        span
    }
}

struct Given<'a>(&'a str);

impl Extractor for Given<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        (key == TRACEPARENT).then_some(self.0)
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT]
    }
}

struct Written(Option<String>);

impl Injector for Written {
    fn set(&mut self, key: &str, value: String) {
        if key == TRACEPARENT {
            self.0 = Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use opentelemetry::trace::TracerProvider;
    use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
    use tracing::{
        Subscriber,
        field::Empty,
        info_span,
        span::{Id, Record},
        subscriber::with_default,
    };
    use tracing_subscriber::{
        Layer,
        layer::{Context, SubscriberExt},
    };

    use super::{Trace, continue_trace, current, note};

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    /// The header of a span that was to go on with `given`.
    fn handed_on(given: Option<&str>) -> Option<String> {
        let layer =
            tracing_opentelemetry::layer().with_tracer(SdkTracerProvider::builder().build().tracer("test"));
        with_default(tracing_subscriber::registry().with(layer), || {
            let span = info_span!("request");
            continue_trace(&span, given);
            span.in_scope(current)
        })
    }

    #[test]
    fn a_callers_trace_is_gone_on_with_by_a_step_of_its_own() {
        let given = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let handed_on = handed_on(Some(&given)).unwrap();
        assert!(handed_on.starts_with(&format!("00-{TRACE}-")) && handed_on != given, "{handed_on}");
    }

    #[test]
    fn what_is_no_trace_begins_one() {
        let long = "0".repeat(10_000);
        for given in [None, Some(""), Some("00-0-0-01"), Some("ff-x"), Some(long.as_str()), Some("00-é-é-01")]
        {
            let handed_on = handed_on(given).unwrap();
            assert!(handed_on.len() == 55 && !handed_on.contains(TRACE), "{given:?}: {handed_on}");
        }
    }

    #[test]
    fn without_a_collector_there_is_no_trace() {
        let span = info_span!("request");
        continue_trace(&span, Some(&format!("00-{TRACE}-00f067aa0ba902b7-01")));
        assert_eq!(span.in_scope(current), None);
    }

    #[test]
    fn a_step_belongs_to_a_trace_that_is_sent_and_to_no_other() {
        for is_sent in [false, true] {
            let sampler = if is_sent { Sampler::AlwaysOn } else { Sampler::AlwaysOff };
            let tracer = SdkTracerProvider::builder().with_sampler(sampler).build().tracer("test");
            let layer = tracing_opentelemetry::layer().with_tracer(tracer);
            with_default(tracing_subscriber::registry().with(layer), || {
                assert!(Trace::of_current().is_none());
                let request = info_span!("request");
                let (above, step) = request.in_scope(|| {
                    let step = Trace::of_current().map(|trace| trace.step(info_span!(parent: None, "step")));
                    (current().unwrap(), step)
                });
                assert_eq!(step.is_some(), is_sent);
                if let Some(step) = step {
                    let step = step.in_scope(current).unwrap();
                    assert!(step != above && step.get(..35) == above.get(..35), "{step} {above}");
                }
            });
        }
        assert!(Trace::of_current().is_none());
    }

    /// Counts the fields that are noted later than their span begins.
    struct Noted(Arc<AtomicUsize>);

    impl<S: Subscriber> Layer<S> for Noted {
        fn on_record(&self, _: &Id, _: &Record<'_>, _: Context<'_, S>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_only_a_trace_shows_is_noted_where_there_is_one() {
        for is_traced in [false, true] {
            let noted = Arc::default();
            let tracer = SdkTracerProvider::builder().build().tracer("test");
            let layer = is_traced.then(|| tracing_opentelemetry::layer().with_tracer(tracer));
            let all = tracing_subscriber::registry().with(layer).with(Noted(Arc::clone(&noted)));
            with_default(all, || note(&info_span!("request", status = Empty), "status", 200));
            assert_eq!(noted.load(Ordering::Relaxed), usize::from(is_traced));
        }
    }
}
