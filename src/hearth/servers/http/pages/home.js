// The sessions, as they are when the page is opened. Everything is set as text, never as HTML.
const state = document.getElementById("state");
const table = document.getElementById("sessions");

async function asked(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  const said = await answer.json();
  if (!answer.ok) throw new Error(`${said.error.message}. ${said.error.hint}`);
  return said;
}

function row(session) {
  const line = document.createElement("tr");
  const shown = session.stopped ? "stopped" : session.state;
  for (const text of [session.session, session.name, shown, session.directory]) {
    const cell = document.createElement("td");
    cell.textContent = text || "";
    line.append(cell);
  }
  return line;
}

try {
  const [info, sessions] = await Promise.all([asked("/api/daemon-info"), asked("/sessions")]);
  document.getElementById("about").textContent = `${info.version}, since ${new Date(info.startedAt).toLocaleString()}`;
  const rows = sessions.value.rows || [];
  table.tBodies[0].replaceChildren(...rows.map(row));
  table.hidden = rows.length === 0;
  state.textContent = rows.length ? "" : "There are no sessions yet. `hearth` in a terminal begins one.";
} catch (error) {
  state.textContent = String(error.message || error);
}
