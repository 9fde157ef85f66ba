import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.vocabulary.permitting import EXTERNAL, READ, WRITE, Need, Verdict
from hearth.performers.judging.paths import Place, at_home, path_needs, resolved, tree_needs


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def place(top: Path) -> Place:
    for folder in ("project/src", "project/.git/hooks", "projectx", "home", "open"):
        (top / folder).mkdir(parents=True)
    (top / "project/src/a.py").touch()
    project = str(top / "project")
    return Place(project, project, (str(top / "home"),), (str(top / "open"),))


def _only(needs: tuple[Need, ...]) -> Need:
    (need,) = needs
    return need


def _outside(needs: tuple[Need, ...]) -> list[str]:
    return [need.target for need in needs if need.permission == EXTERNAL]


@pytest.mark.promise("DP-PERM-04")
def test_reading_inside_of_the_project_takes_nothing_that_asks(place: Place) -> None:
    need = _only(path_needs("src/a.py", READ, place))

    assert need == Need(
        READ, "src/a.py", f"{place.root}/src/a.py", Verdict.ALLOW, Verdict.ALLOW, "", "src/a.py"
    )


@pytest.mark.promise("DP-PERM-04")
def test_reading_outside_asks_for_the_directory(place: Place) -> None:
    read, outside = path_needs("/etc/hosts", READ, place)

    assert (read.permission, read.target) == (READ, "/etc/hosts")
    assert outside == Need(
        EXTERNAL, "/etc/hosts", "/etc/hosts", Verdict.ASK, Verdict.ALLOW, "", "/etc/*"
    )


def test_writing_asks_everywhere_and_may_be_granted_for_that_path_alone(place: Place) -> None:
    need = _only(path_needs("src/[*]?.py", WRITE, place))

    assert need.usual is Verdict.ASK
    assert need.least is Verdict.ALLOW
    assert need.pattern == "src/[\\*]\\?.py"


def test_the_root_is_a_dot_however_it_is_written(place: Place) -> None:
    for typed in (".", "", "./", "src/..", place.root, f"{place.root}/", f"/{place.root}//"):
        assert _only(path_needs(typed, READ, place)).target == ".", typed


def test_a_relative_path_begins_at_the_directory_and_is_told_from_the_root(place: Place) -> None:
    below = Place(f"{place.root}/src", place.root)

    assert _only(path_needs("a.py", READ, below)).target == "src/a.py"
    assert _only(path_needs("../b", READ, below)).target == "b"


@pytest.mark.promise("DP-PERM-08")
def test_a_folder_whose_name_begins_like_the_projects_is_outside(place: Place, top: Path) -> None:
    assert _outside(path_needs(f"{top}/projectx/a", READ, place)) == [f"{top}/projectx/a"]
    assert _outside(path_needs("../projectx/a", READ, place)) == [f"{top}/projectx/a"]


@pytest.mark.promise("DP-PERM-08")
def test_a_link_that_leads_out_is_outside_also_for_a_new_file(place: Place, top: Path) -> None:
    (top / "project/link").symlink_to(top / "projectx")
    typed, real, outside = path_needs("link/new", WRITE, place)

    assert (typed.target, typed.resolved) == ("link/new", f"{top}/projectx/new")
    assert (real.target, real.resolved) == (f"{top}/projectx/new", f"{top}/projectx/new")
    assert outside.target == f"{top}/projectx/new"


@pytest.mark.promise("DP-PERM-08")
def test_two_dots_behind_a_link_lead_where_the_system_goes(place: Place, top: Path) -> None:
    (top / "projectx/deep").mkdir()
    (top / "project/link").symlink_to(top / "projectx/deep")
    needs = path_needs("link/../secret", READ, place)

    assert [need.target for need in needs if need.permission == READ] == [
        "secret",
        f"{top}/projectx/secret",
    ]
    assert _outside(needs) == [f"{top}/projectx/secret"]


def test_a_link_outside_that_leads_in_is_outside_by_its_name(place: Place, top: Path) -> None:
    (top / "projectx/link").symlink_to(top / "project/src")
    needs = path_needs(f"{top}/projectx/link/a.py", READ, place)

    assert [need.target for need in needs] == [
        f"{top}/projectx/link/a.py",
        "src/a.py",
        f"{top}/projectx/link/a.py",
    ]
    assert _outside(needs) == [f"{top}/projectx/link/a.py"]


def test_a_project_that_is_reached_through_a_link_is_inside_by_both_names(
    place: Place, top: Path
) -> None:
    (top / "short").symlink_to(top / "project")
    linked = Place(f"{top}/short/src", f"{top}/short")

    for typed in ("a.py", f"{top}/short/src/a.py", f"{top}/project/src/a.py"):
        assert _only(path_needs(typed, READ, linked)).target == "src/a.py", typed
    assert place.root == f"{top}/project"


@pytest.mark.promise("DP-PERM-05")
def test_folders_that_are_open_need_no_permission_of_their_own(place: Place, top: Path) -> None:
    (top / "open/out").symlink_to("/etc")

    assert not _outside(path_needs(f"{top}/open/x", WRITE, place))
    assert _outside(path_needs(f"{top}/open/out/hosts", READ, place)) == ["/etc/hosts"]
    assert _outside(path_needs(f"{top}/openx", READ, place)) == [f"{top}/openx"]


@pytest.mark.parametrize("permission", [READ, WRITE, EXTERNAL])
def test_what_is_forbidden_is_denied_by_every_name(
    place: Place, top: Path, permission: str
) -> None:
    (top / "project/link").symlink_to(top / "home")
    (top / "alias").symlink_to(top / "home")
    by_alias = Place(place.directory, place.root, (f"{top}/alias",))

    for where in (place, by_alias):
        for typed in (f"{top}/home/token", "link/token", "../home", "link", "src/../../home/a/b"):
            needs = path_needs(typed, permission, where)
            assert needs[0].least is Verdict.DENY, typed
            assert not any(need.pattern for need in needs)
    assert path_needs(f"{top}/alias/x", permission, by_alias)[0].least is Verdict.DENY
    assert path_needs(f"{top}/homex", permission, place)[0].least is Verdict.ALLOW


@pytest.mark.parametrize(
    "typed",
    [".git/hooks/pre-commit", ".git/config", "hearth.jsonc", ".hearth/x", "src/../.git/hooks/x"],
)
def test_what_decides_what_runs_may_be_read_but_not_written(place: Place, typed: str) -> None:
    written = path_needs(typed, WRITE, place)[0]

    assert written.least is Verdict.DENY
    assert "ask the person" in written.why
    assert path_needs(typed, READ, place)[0].least is Verdict.ALLOW


def test_a_link_to_what_is_guarded_is_guarded(place: Place, top: Path) -> None:
    (top / "project/innocent").symlink_to(".git/hooks")

    assert path_needs("innocent/pre-commit", WRITE, place)[0].least is Verdict.DENY


def test_a_git_file_is_guarded_and_a_git_folder_asks(place: Place, top: Path) -> None:
    (top / "project/sub").mkdir()
    (top / "project/sub/.git").write_text("gitdir: /elsewhere")

    assert path_needs("sub/.git", WRITE, place)[0].least is Verdict.DENY
    assert path_needs("new/.git", WRITE, place)[0].least is Verdict.DENY
    assert path_needs(".git", WRITE, place)[0].least is Verdict.ASK


@pytest.mark.parametrize("typed", ["/proc/self/root/etc/passwd", "/dev/fd/3", "/proc/self/cwd/a"])
def test_what_means_something_else_to_each_process_can_only_be_allowed_once(
    place: Place, typed: str
) -> None:
    needs = path_needs(typed, READ, place)

    assert all(need.least is Verdict.ASK and not need.pattern for need in needs)
    assert needs[0].resolved == ""
    assert resolved(typed, place) is None


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("a\0b", "NUL"),
        ("x" * 5000, "4096"),
        ("a/" * 3000, "4096"),
        ("ä" * 128, "255"),
        ("a\ud800", "not valid text"),
    ],
)
def test_what_can_be_no_path_is_denied_with_a_reason(place: Place, typed: str, why: str) -> None:
    need = _only(path_needs(typed, READ, place, "read by cat"))

    assert need.least is Verdict.DENY
    assert need.why.startswith("read by cat: ")
    assert why in need.why
    assert len(need.target) <= 201
    assert need.target.encode()
    assert "\0" not in need.target
    assert resolved(typed, place) is None


def test_a_file_with_other_names_asks_before_it_is_written(place: Place, top: Path) -> None:
    os.link(top / "project/src/a.py", top / "project/b.py")

    assert path_needs("b.py", WRITE, place)[0].least is Verdict.ASK
    assert path_needs("b.py", READ, place)[0].least is Verdict.ALLOW


def test_what_is_no_file_asks_and_says_what_it_is(place: Place, top: Path) -> None:
    os.mkfifo(top / "project/pipe")

    for permission in (READ, WRITE):
        need = path_needs("pipe", permission, place)[0]
        assert need.least is Verdict.ASK
        assert "a named pipe" in need.why
    assert path_needs("/dev/zero", READ, place)[0].least is Verdict.ASK


def test_the_null_device_is_nothing_to_ask_about(place: Place) -> None:
    for permission in (READ, WRITE):
        assert _only(path_needs("/dev/null", permission, place)).usual is Verdict.ALLOW


def test_a_file_that_may_hold_keys_asks_by_any_name(place: Place, top: Path) -> None:
    (top / "project/.env").touch()
    (top / "project/notes").symlink_to(".env")

    for typed in (".env", "notes", "src/../.env"):
        assert path_needs(typed, READ, place)[0].usual is Verdict.ASK, typed
    assert path_needs(".env.example", READ, place)[0].usual is Verdict.ALLOW


def test_a_tilde_is_a_name_here_and_asks(place: Place) -> None:
    need = path_needs("~root/x", READ, place)[0]

    assert need.least is Verdict.ASK
    assert need.resolved == f"{place.root}/~root/x"


def test_people_who_type_a_tilde_mean_their_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")

    assert at_home("~/x") == "/home/me/x"
    assert at_home("~") == "/home/me"
    assert at_home("~root/x") == "~root/x"
    assert at_home("a/~/x") == "a/~/x"


def test_no_grant_is_offered_for_a_whole_home_or_everything(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")

    patterns = {
        typed: path_needs(typed, READ, place)[-1].pattern
        for typed in ("/x", "/home/me/a", "/home/me", "/home/other", "/home/me/docs/a", "/etc")
    }
    assert patterns == {
        "/x": "/x",
        "/home/me/a": "/home/me/a",
        "/home/me": "/home/me",
        "/home/other": "/home/other",
        "/home/me/docs/a": "/home/me/docs/*",
        "/etc": "/etc/*",
    }


def test_without_a_project_everything_is_outside(top: Path) -> None:
    nowhere = Place(str(top), "")

    assert _outside(path_needs("a", READ, nowhere)) == [f"{top}/a"]


def test_a_folder_with_all_below_it_asks_if_that_includes_what_is_forbidden(
    place: Place, top: Path
) -> None:
    whole = Place(str(top), str(top), place.forbidden)

    assert tree_needs(".", READ, whole)[0].least is Verdict.ASK
    assert tree_needs("project", READ, whole)[0].least is Verdict.ALLOW
    assert path_needs(".", READ, whole)[0].least is Verdict.ALLOW


def test_an_unknown_use_of_a_path_asks_only_for_what_is_outside(place: Place) -> None:
    assert path_needs("src/a.py", EXTERNAL, place) == ()
    assert _outside(path_needs("/etc/hosts", EXTERNAL, place)) == ["/etc/hosts"]
    assert _only(path_needs("no/../a", EXTERNAL, place)).least is Verdict.ASK


def test_a_folder_that_is_closed_to_us_cannot_be_proven(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.lstat

    def lstat(path: str) -> os.stat_result:
        if "closed" in path:
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "lstat", lstat)
    need = path_needs("closed/a", READ, place)[0]

    assert need.least is Verdict.ASK
    assert "Permission denied" in need.why


@given(st.text(alphabet="./ab~*\0\n \\é", max_size=40), st.sampled_from([READ, WRITE]))
@settings(max_examples=200)
def test_no_path_raises_or_is_without_a_need(typed: str, permission: str) -> None:
    needs = path_needs(typed, permission, Place("/usr/lib", "/usr"))

    assert needs[0].permission == permission
    assert all(need.target for need in needs)
    for need in needs:
        assert need.least is not Verdict.ALLOW or need.resolved


def test_what_is_lent_may_be_read_but_not_written_though_it_is_forbidden(
    place: Place, top: Path
) -> None:
    (top / "home/results").mkdir()
    (top / "home/results/out").symlink_to(top / "home/token")
    lending = Place(place.directory, place.root, place.forbidden, readable=(f"{top}/home/results",))

    assert _only(path_needs(f"{top}/home/results/a", READ, lending)).usual is Verdict.ALLOW
    for typed, permission in (("results/a", WRITE), ("results/out", READ), ("results/../a", READ)):
        needs = path_needs(f"{top}/home/{typed}", permission, lending)
        assert needs[0].least is Verdict.DENY, typed


def test_a_judgement_takes_microseconds(place: Place) -> None:
    def once() -> float:
        began = time.perf_counter()
        for _ in range(100):
            path_needs("src/a.py", WRITE, place)
        return (time.perf_counter() - began) / 100

    assert min(once() for _ in range(10)) < 0.0005


class TestWhatIsLent:
    """Long results are kept in hearth's home, and whoever they are for may read them there."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        for name in ("root", "home/results/s1", "home/results/s2"):
            (tmp_path / name).mkdir(parents=True)
        (tmp_path / "home/results/s1/k1.txt").write_text("long")
        (tmp_path / "home/results/s2/k1.txt").write_text("another's")
        (tmp_path / "home/token").write_text("secret")
        home = str(tmp_path / "home")
        return Place(
            str(tmp_path / "root"), str(tmp_path / "root"), (home,), (), (f"{home}/results/s1",)
        )

    def test_it_is_read_without_asking(self, place: Place) -> None:
        (need,) = path_needs(f"{place.readable[0]}/k1.txt", "read", place)
        assert (need.usual, need.least) == (Verdict.ALLOW, Verdict.ALLOW)

    @pytest.mark.parametrize("path", ["../s2/k1.txt", "../../token", "..", "link"])
    def test_nothing_else_is(self, place: Place, path: str) -> None:
        Path(place.readable[0], "link").symlink_to("../../token")
        needs = path_needs(f"{place.readable[0]}/{path}", "read", place)
        assert Verdict.DENY in {need.least for need in needs}

    def test_it_is_not_written(self, place: Place) -> None:
        needs = path_needs(f"{place.readable[0]}/k1.txt", "write", place)
        assert Verdict.DENY in {need.least for need in needs}
