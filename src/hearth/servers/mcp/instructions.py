"""What a client is told once, when it connects, so that no answer has to repeat it."""

from typing import Final

INSTRUCTIONS: Final = """\
hearth keeps live, durable Python sessions that people and agents share: names, imports and \
objects stay between calls, everything is in an append-only log, and work goes on when you \
disconnect.

Every answer has `session` (which one it was), `state` and `available_actions`: what this state \
offers. Always possible besides: create_session, list_sessions, switch_session, stop_session, \
fork_session, export_session, import_session, get_status, get_ui_state. While the \
state is ready all but cancel_eval and answer_input is possible (undo_code, redo_code and \
keep_variant where there is something to take back or to keep), and usual answers name no more of \
it than what changes something. States: uninitialized (no interpreter), warming_up (wait; \
get_status), ready, evaluating (a cell runs; ask, or cancel_eval), faulted (reset_session or \
hard_reset_session).

A refusal is an error with `error.type`, and `remedy` names what helps. Code that raises is an \
error with a suggestion: what it bound before stays bound, so correct it and go on; a reset is \
not needed while the state is ready, and forgets everything.

Leave `session` out: you have one of your own, of the folder you work in. What others choose \
never moves you. Small cells are best; a long one gives a handle, and get_recent_events with \
`since` and `wait` tells its end. Look before you guess: check_code finds errors without running \
anything, explore_type and inspect show what is really there. Unsure which way is right? try_code \
runs several in copies and changes nothing until keep_variant. What you ran was wrong? undo_code \
takes it back, redo_code brings it back. Half a cell would be worse than none? run_code with \
on_error=undo. A way of many steps that must not touch this session? fork_session, then \
compare_sessions.
"""
