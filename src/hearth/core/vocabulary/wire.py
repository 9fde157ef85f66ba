"""The one table of wire names and versions, and the base of every word.

A word that is not listed here cannot be defined: its class fails at import. Version 1 of a
word is written as its plain name; a later version carries a suffix (`cell_started.v2`), and
`upcasts` says how the older rows are read.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec


class Wire(NamedTuple):
    """How one word is called on the wire."""

    name: str
    version: int = 1

    @property
    def tag(self) -> str:
        """The text of the `type` field."""
        return self.name if self.version == 1 else f"{self.name}.v{self.version}"


WIRE: Final[Mapping[str, Wire]] = {
    # commands
    "CreateSession": Wire("create_session"),
    "StopSession": Wire("stop_session"),
    "RenameSession": Wire("rename_session"),
    "SwitchSession": Wire("switch_session"),
    "NoteSettings": Wire("note_settings"),
    "RunCell": Wire("run_cell"),
    "LoadScript": Wire("load_script"),
    "CancelCell": Wire("cancel_cell"),
    "ResetSession": Wire("reset_session"),
    "HardResetSession": Wire("hard_reset_session"),
    "CheckCode": Wire("check_code"),
    "CompleteCode": Wire("complete_code"),
    "InspectCode": Wire("inspect_code"),
    "ListVariables": Wire("list_variables"),
    "ExploreModule": Wire("explore_module"),
    "ExploreType": Wire("explore_type"),
    "ReloadSources": Wire("reload_sources"),
    "AnswerInput": Wire("answer_input"),
    "ReplaySession": Wire("replay_session"),
    "SendMessage": Wire("send_message"),
    "WithdrawMessage": Wire("withdraw_message"),
    "CancelTurn": Wire("cancel_turn"),
    "SetModel": Wire("set_model"),
    "SetServers": Wire("set_servers"),
    "RegenerateTurn": Wire("regenerate_turn"),
    "ContinueTurn": Wire("continue_turn"),
    "CompactConversation": Wire("compact_conversation"),
    "SwitchBranch": Wire("switch_branch"),
    "EditMessage": Wire("edit_message"),
    "AnswerApproval": Wire("answer_approval"),
    "RewindFiles": Wire("rewind_files"),
    # reports
    "WorkerReady": Wire("worker_ready"),
    "WorkerFailed": Wire("worker_failed"),
    "WorkerLost": Wire("worker_lost"),
    "CellEnded": Wire("cell_ended"),
    "CodeChecked": Wire("code_checked"),
    "CodeCompleted": Wire("code_completed"),
    "CodeInspected": Wire("code_inspected"),
    "VariablesFound": Wire("variables_found"),
    "MembersFound": Wire("members_found"),
    "SourcesTaken": Wire("sources_taken"),
    "ReplayEnded": Wire("replay_ended"),
    "InputAsked": Wire("input_asked"),
    "StopTried": Wire("stop_tried"),
    "OutputCameLate": Wire("output_came_late"),
    "ToolAsked": Wire("tool_asked"),
    "ToolUsed": Wire("tool_used"),
    "EnvironmentSeen": Wire("environment_seen"),
    "RestartDue": Wire("restart_due"),
    "EffectFailed": Wire("effect_failed"),
    "PrefixPrepared": Wire("prefix_prepared"),
    "PrefixFailed": Wire("prefix_failed"),
    "ModelAnswered": Wire("model_answered"),
    "SummaryMade": Wire("summary_made"),
    "ModelFailed": Wire("model_failed"),
    "ModelStopped": Wire("model_stopped"),
    "AskDue": Wire("ask_due"),
    "ToolReturned": Wire("tool_returned"),
    "BranchFound": Wire("branch_found"),
    "BranchMissing": Wire("branch_missing"),
    "CallJudged": Wire("call_judged"),
    "ProjectRewound": Wire("project_rewound"),
    "GrantStored": Wire("grant_stored"),
    # events
    "SessionStarted": Wire("session_started"),
    "SessionRenamed": Wire("session_renamed"),
    "SessionSwitched": Wire("session_switched"),
    "SettingsReloaded": Wire("settings_reloaded"),
    "SessionWarmUpStarted": Wire("session_warm_up_started"),
    "SessionWarmUpCompleted": Wire("session_warm_up_completed"),
    "SessionWarmUpAbandoned": Wire("session_warm_up_abandoned"),
    "SessionReady": Wire("session_ready"),
    "SessionFaulted": Wire("session_faulted"),
    "SessionReset": Wire("session_reset"),
    "SessionHardReset": Wire("session_hard_reset"),
    "SessionStopped": Wire("session_stopped"),
    "RestartScheduled": Wire("restart_scheduled"),
    "StateTransitioned": Wire("state_transitioned"),
    "CellQueued": Wire("cell_queued"),
    "CellWithdrawn": Wire("cell_withdrawn"),
    "CellStarted": Wire("cell_started"),
    "CellCancelRequested": Wire("cell_cancel_requested"),
    "CellFinished": Wire("cell_finished"),
    "CellFailed": Wire("cell_failed"),
    "CellCancelled": Wire("cell_cancelled"),
    "ScriptLoaded": Wire("script_loaded"),
    "ScriptLoadFailed": Wire("script_load_failed"),
    "CheckRequested": Wire("check_requested"),
    "DiagnosticsChecked": Wire("diagnostics_checked"),
    "DiagnosticsCleared": Wire("diagnostics_cleared"),
    "CompletionsRequested": Wire("completions_requested"),
    "CompletionsReturned": Wire("completions_returned"),
    "QuestionAbandoned": Wire("question_abandoned"),
    "CellStopTried": Wire("cell_stop_tried"),
    "InputRequested": Wire("input_requested"),
    "InputAnswered": Wire("input_answered"),
    "CellOutputAdded": Wire("cell_output_added"),
    "InspectionRequested": Wire("inspection_requested"),
    "InspectionReturned": Wire("inspection_returned"),
    "VariablesRequested": Wire("variables_requested"),
    "VariablesReturned": Wire("variables_returned"),
    "ExplorationRequested": Wire("exploration_requested"),
    "ExplorationReturned": Wire("exploration_returned"),
    "ReloadRequested": Wire("reload_requested"),
    "SourcesReloaded": Wire("sources_reloaded"),
    "ReplayStarted": Wire("replay_started"),
    "SessionReplayed": Wire("session_replayed"),
    "EnvironmentChanged": Wire("environment_changed"),
    "CellToolCalled": Wire("cell_tool_called"),
    "MessageQueued": Wire("message_queued"),
    "MessageDelivered": Wire("message_delivered"),
    "MessageWithdrawn": Wire("message_withdrawn"),
    "TurnStarted": Wire("turn_started"),
    "PrefixStarted": Wire("prefix_started"),
    "TurnPrepared": Wire("turn_prepared"),
    "ModelAsked": Wire("model_asked"),
    "RetryScheduled": Wire("retry_scheduled"),
    "BlockSealed": Wire("block_sealed"),
    "StepFinished": Wire("step_finished"),
    "ToolStarted": Wire("tool_started"),
    "ApprovalRequested": Wire("approval_requested"),
    "ApprovalAnswered": Wire("approval_answered"),
    "TurnCancelRequested": Wire("turn_cancel_requested"),
    "TurnFinished": Wire("turn_finished"),
    "ModelChanged": Wire("model_changed"),
    "ServersChosen": Wire("servers_chosen"),
    "BranchRequested": Wire("branch_requested"),
    "EditRequested": Wire("edit_requested"),
    "BranchSwitched": Wire("branch_switched"),
    "LookupFailed": Wire("lookup_failed"),
    "ConversationForked": Wire("conversation_forked"),
    "CompactionStarted": Wire("compaction_started"),
    "ConversationCompacted": Wire("conversation_compacted"),
    "CompactionFailed": Wire("compaction_failed"),
    "ToolRefused": Wire("tool_refused"),
    "GrantRecorded": Wire("grant_recorded"),
    "FilesKept": Wire("files_kept"),
    "FilesChanged": Wire("files_changed"),
    "TaskChanged": Wire("task_changed"),
    "RewindRequested": Wire("rewind_requested"),
    "FilesCompared": Wire("files_compared"),
    "FilesRewound": Wire("files_rewound"),
    "RewindFailed": Wire("rewind_failed"),
    # progress
    "OutputChunk": Wire("output_chunk"),
    "DisplayShown": Wire("display_shown"),
    "OutputCleared": Wire("output_cleared"),
    "WarmUpStep": Wire("warm_up_step"),
    "ReplayStep": Wire("replay_step"),
    "TextDelta": Wire("text_delta"),
    "ThinkingDelta": Wire("thinking_delta"),
    "ToolCallForming": Wire("tool_call_forming"),
    "ToolOutput": Wire("tool_output"),
    "SessionResumed": Wire("session_resumed"),
    "EventUnsaved": Wire("event_unsaved"),
    "StoreWarning": Wire("store_warning"),
    "ProgressDropped": Wire("progress_dropped"),
    # effects
    "StartWorker": Wire("start_worker"),
    "AttachWorker": Wire("attach_worker"),
    "StopWorker": Wire("stop_worker"),
    "ResetWorker": Wire("reset_worker"),
    "ExecuteInWorker": Wire("execute_in_worker"),
    "LoadInWorker": Wire("load_in_worker"),
    "InterruptWorker": Wire("interrupt_worker"),
    "CheckInWorker": Wire("check_in_worker"),
    "CompleteInWorker": Wire("complete_in_worker"),
    "InspectInWorker": Wire("inspect_in_worker"),
    "ListInWorker": Wire("list_in_worker"),
    "ExploreInWorker": Wire("explore_in_worker"),
    "ReloadInWorker": Wire("reload_in_worker"),
    "AnswerInWorker": Wire("answer_in_worker"),
    "AnswerToolInWorker": Wire("answer_tool_in_worker"),
    "ReplayHistory": Wire("replay_history"),
    "WaitThenRestart": Wire("wait_then_restart"),
    "PreparePrefix": Wire("prepare_prefix"),
    "AskModel": Wire("ask_model"),
    "StopAsking": Wire("stop_asking"),
    "WaitThenAsk": Wire("wait_then_ask"),
    "RunTool": Wire("run_tool"),
    "StopTool": Wire("stop_tool"),
    "SpillResult": Wire("spill_result"),
    "FindBranch": Wire("find_branch"),
    "JudgeCall": Wire("judge_call"),
    "StoreGrant": Wire("store_grant"),
    "EndJobs": Wire("end_jobs"),
    "RewindProject": Wire("rewind_project"),
    # refusals
    "NotNow": Wire("not_now"),
    "NotAllowed": Wire("not_allowed"),
    "UnknownSession": Wire("unknown_session"),
    "AmbiguousSession": Wire("ambiguous_session"),
    "SessionExists": Wire("session_exists"),
    "TooManySessions": Wire("too_many_sessions"),
    "DuplicateCommand": Wire("duplicate_command"),
    "Malformed": Wire("malformed"),
    "TooLarge": Wire("too_large"),
    "UnknownView": Wire("unknown_view"),
    "Quarantined": Wire("quarantined"),
    "OwnedElsewhere": Wire("owned_elsewhere"),
    "StoreUnavailable": Wire("store_unavailable"),
    "ShuttingDown": Wire("shutting_down"),
    # failures
    "CodeRaised": Wire("code_raised"),
    "TimedOut": Wire("timed_out"),
    "WorkerCrashed": Wire("worker_crashed"),
    "WarmUpFailed": Wire("warm_up_failed"),
    "ProjectNotFound": Wire("project_not_found"),
    "CheckFailed": Wire("check_failed"),
    "Interrupted": Wire("interrupted"),
    # the states of a session
    "Uninitialized": Wire("uninitialized"),
    "WarmingUp": Wire("warming_up"),
    "Ready": Wire("ready"),
    "Evaluating": Wire("evaluating"),
    "Faulted": Wire("faulted"),
    # what a cell shows
    "StreamText": Wire("stream_text"),
    "RichData": Wire("rich_data"),
    # the blocks of a conversation
    "TextBlock": Wire("text_block"),
    "ThinkingBlock": Wire("thinking_block"),
    "ToolCallBlock": Wire("tool_call_block"),
    "ToolResultBlock": Wire("tool_result_block"),
    "ErrorBlock": Wire("error_block"),
    "NoticeBlock": Wire("notice_block"),
    # how a cell ended
    "Succeeded": Wire("succeeded"),
    "Raised": Wire("raised"),
    "Stopped": Wire("stopped"),
}


BASES: Final = frozenset({"Word", "Refused"})
"""Classes that only share fields; never on the wire themselves."""


def wire_tag(class_name: str) -> str:
    """The `type` of the class of this name; a KeyError means: add it to WIRE."""
    return class_name if class_name in BASES else WIRE[class_name].tag


class Word(
    msgspec.Struct,
    frozen=True,
    tag_field="type",
    tag=wire_tag,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,  # immutable data has no cycles: the collector need not look at every event
):
    """A tagged, immutable piece of data that may travel or be stored."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """An untagged, immutable piece of a word."""
