// The table of places by cost: a row for each place, kind and operator.
const FIRST_ROWS = 100;
const COLUMNS = [
  { name: "Place", key: (row) => row.place.label },
  { name: "What", key: (row) => row.what },
  { name: "Device", key: (row) => [...row.lanes].join(" ") },
  { name: "Times", key: (row) => row.count, number: true },
  ...(TIMED ? [{ name: "Host waited", key: (row) => row.seconds ?? -1, number: true }] : []),
  { name: "Copied", key: (row) => row.bytes ?? -1, number: true },
  { name: "Rules", key: (row) => [...row.codes].join(" ") },
];
const sorting = {
  column: COLUMNS.findIndex((column) => column.name === (TIMED ? "Host waited" : "Times")),
  down: true,
};
let shownRows = FIRST_ROWS;

function placeRows() {
  const found = new Map();
  ACTS.forEach((act, number) => {
    const shown = shownActs[number];
    if (!shown) return;
    const key = `${act.place} ${act.kind} ${act.operator}`;
    if (!found.has(key)) found.set(key, emptyRow(act));
    const row = found.get(key);
    row.lanes.add(LANES[act.lane]);
    act.codes.forEach((code) => row.codes.add(code));
    row.count += shown.count;
    row.seconds = add(row.seconds, shown.seconds);
    row.bytes = add(row.bytes, shown.bytes);
    row.estimated ||= act.estimated && !zoomed();
  });
  return [...found.values()];
}

function emptyRow(act) {
  return {
    place: PLACES[act.place],
    callers: act.callers.map((caller) => PLACES[caller]),
    kind: act.kind,
    what: `${KINDS[act.kind]}: ${act.operator}${act.operand ? ` of ${act.operand}` : ""}`,
    lanes: new Set(),
    codes: new Set(),
    count: 0,
    seconds: null,
    bytes: null,
    estimated: false,
  };
}

function sorted(found) {
  const { key } = COLUMNS[sorting.column];
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return found.sort(
    (a, b) =>
      (sorting.down ? -1 : 1) * compare(key(a), key(b)) ||
      b.count - a.count ||
      (b.bytes ?? 0) - (a.bytes ?? 0),
  );
}

function placeRow(row) {
  const about = row.estimated ? "about " : "";
  const from = row.callers.map((caller) =>
    element("span", { class: "under", children: ["called from ", link(caller)] }),
  );
  const cells = {
    Place: element("td", {
      children: [
        link(row.place),
        element("span", { class: "under", children: [element("code", { text: row.place.text })] }),
        ...from,
      ],
    }),
    What: element("td", { children: [element("span", { class: `dot kind-${row.kind}` }), ` ${row.what}`] }),
    Device: element("td", { text: [...row.lanes].join(", ") }),
    Times: element("td", { class: "number", text: about + whole(row.count) }),
    "Host waited": element("td", {
      class: "number",
      text: row.seconds === null ? "" : about + duration(row.seconds),
    }),
    Copied: element("td", { class: "number", text: row.bytes === null ? "" : about + size(row.bytes) }),
    Rules: element("td", { text: [...row.codes].join(", ") }),
  };
  return element("tr", { children: COLUMNS.map((column) => cells[column.name]) });
}

function showPlaces() {
  const found = sorted(placeRows());
  byId("places-rows").replaceChildren(...found.slice(0, shownRows).map(placeRow));
  const left = found.length - shownRows;
  byId("places-more").hidden = left <= 0;
  byId("places-more").textContent = `Show ${whole(Math.max(left, 0))} more places`;
  [...byId("places-head").children].forEach((head, number) => {
    if (number === sorting.column) head.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
}

function startPlaces() {
  if (!ACTS.length) return;
  byId("places").hidden = false;
  byId("places-help").textContent = TIMED
    ? "All waits and copies, whether or not a rule speaks of them. A copy for which the host waits is a wait, too."
    : "All waits and copies, whether or not a rule speaks of them. No time was measured, so they stand by number.";
  COLUMNS.forEach((column, number) => {
    const button = element("button", { type: "button", text: column.name });
    button.addEventListener("click", () => {
      sorting.down = sorting.column === number ? !sorting.down : Boolean(column.number);
      sorting.column = number;
      showPlaces();
    });
    byId("places-head").append(
      element("th", { scope: "col", ...(column.number ? { class: "number" } : {}), children: [button] }),
    );
  });
  byId("places-more").addEventListener("click", () => {
    shownRows = Infinity;
    showPlaces();
  });
  listeners.push(showPlaces);
}
