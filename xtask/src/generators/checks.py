"""A check of schemathesis beside its own, for `cargo xtask conformance`."""

import schemathesis
from schemathesis.checks import not_a_server_error


@schemathesis.check
def no_server_error(ctx, response, case):
    """Fails on every 5xx but one: a send that the service's own pace holds back.

    Requests are generated faster than a network lets one number write to one person.
    """
    if response.status_code == 503 and response.json().get("code") == "held_back":
        return None
    return not_a_server_error(ctx, response, case)
