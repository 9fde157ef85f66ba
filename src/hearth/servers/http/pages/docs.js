// A form for every operation of /openapi.json. Everything is set as text, never as HTML.
const state = document.getElementById("state");
const list = document.getElementById("operations");
const LONGEST = 100000;

function made(name, text, properties = {}) {
  const element = Object.assign(document.createElement(name), properties);
  if (text) element.textContent = text;
  return element;
}

function resolved(schema, root) {
  if (!schema || !schema.$ref) return schema || {};
  return schema.$ref.split("/").slice(1).reduce((at, key) => at[key], root);
}

// A value that shows what the fields are called: the first choice of everything.
function example(schema, root, depth = 0) {
  const one = resolved(schema, root);
  if (depth > 4) return null;
  if ("const" in one) return one.const;
  if ("default" in one && one.default !== null) return one.default;
  if (one.enum) return one.enum[0];
  if (one.anyOf) return example(one.anyOf[0], root, depth + 1);
  if (one.type === "object") {
    const wanted = new Set(one.required || []);
    const entries = Object.entries(one.properties || {}).filter(([name]) => wanted.has(name));
    return Object.fromEntries(entries.map(([name, part]) => [name, example(part, root, depth + 1)]));
  }
  return { string: "", integer: 0, number: 1, boolean: false, array: [] }[one.type] ?? null;
}

function field(form, title, properties) {
  const label = made("label", title);
  const input = made(properties.rows ? "textarea" : "input", "", properties);
  label.append(input);
  form.append(label);
  return input;
}

// A body that is one of several: the fields of the chosen one are filled in.
function choice(form, schema, root, body) {
  const kinds = (resolved(schema, root).anyOf || []).map((one) => resolved(one, root));
  if (kinds.length < 2) return;
  const label = made("label", "type");
  const select = made("select");
  for (const kind of kinds) {
    const name = example(kind.properties?.type, root) ?? kind.title ?? "";
    select.append(made("option", name, { value: name }));
  }
  select.addEventListener("change", () => {
    body.value = JSON.stringify(example(kinds[select.selectedIndex], root), null, 2);
  });
  label.append(select);
  form.append(label);
}

async function send(method, path, operation, inputs, body, shown) {
  const headers = { Accept: "application/json, */*" };
  const query = new URLSearchParams();
  let address = path;
  for (const [parameter, input] of inputs) {
    if (!input.value) continue;
    if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    if (parameter.in === "query") query.set(parameter.name, input.value);
    if (parameter.in === "header") headers[parameter.name] = input.value;
  }
  const asked = { method: method.toUpperCase(), headers };
  if (body) {
    headers["Content-Type"] = "application/json";
    asked.body = body.value || "{}";
  }
  const answer = await fetch(query.size ? `${address}?${query}` : address, asked);
  shown.textContent = `${answer.status} ${answer.statusText}\n\n`;
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader.read()) {
    shown.textContent = (shown.textContent + next.value).slice(0, LONGEST);
    if (shown.textContent.length >= LONGEST) await reader.cancel();
  }
  if ((answer.headers.get("content-type") || "").startsWith("application/json")) {
    const [head, text] = shown.textContent.split(/\n\n(.*)/s);
    try {
      shown.textContent = `${head}\n\n${JSON.stringify(JSON.parse(text), null, 2)}`;
    } catch { /* It was longer than is shown. */ }
  }
}

function operationOf(method, path, operation, root) {
  const details = made("details");
  const summary = made("summary");
  summary.append(made("span", method.toUpperCase(), { className: "method" }), made("code", path), made("span", operation.summary, { className: "said" }));
  const form = made("form");
  form.append(made("p", operation.description, { className: "quiet" }));
  const inputs = (operation.parameters || []).map((parameter) => [
    parameter,
    field(form, `${parameter.name} (${parameter.in})`, { required: parameter.required, placeholder: parameter.description || "" }),
  ]);
  const schema = operation.requestBody?.content["application/json"].schema;
  let body = null;
  if (schema) {
    const holder = made("div");
    body = field(holder, "body", { rows: 6, spellcheck: false, value: JSON.stringify(example(schema, root), null, 2) });
    choice(form, schema, root, body);
    form.append(holder);
  }
  const shown = made("pre", "", { hidden: true, tabIndex: 0 });
  shown.setAttribute("aria-live", "polite");
  form.append(made("button", "Send", { type: "submit" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    shown.hidden = false;
    shown.textContent = "…";
    send(method, path, operation, inputs, body, shown).catch((error) => { shown.textContent = String(error); });
  });
  details.append(summary, form, shown);
  return details;
}

try {
  const answer = await fetch("/openapi.json");
  const root = await answer.json();
  if (!answer.ok) throw new Error(`${root.error.message}. ${root.error.hint}`);
  for (const [path, methods] of Object.entries(root.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (path !== "/login") list.append(operationOf(method, path, operation, root));
    }
  }
  state.textContent = "";
} catch (error) {
  state.textContent = String(error.message || error);
}
