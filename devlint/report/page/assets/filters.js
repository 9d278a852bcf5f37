// Which acts, findings and moments are shown. Whoever shows something listens.
const NO_RULE = "none";
const KIND_NAMES = ["Waits", "Copies to it", "Copies between", "Copies from it"];
const listeners = [];
const filters = { text: "", kinds: new Set(KINDS.keys()), lane: "", rule: "" };
const view = { from: EXTENT[0], to: EXTENT[1] };

const zoomed = () => view.from > EXTENT[0] || view.to < EXTENT[1];

// For each act, what of it is shown: count, seconds, bytes.
let shownActs = [];

// The rules that speak of an act, or of what it led to.
const NEAR = ACTS.map(() => new Set());
DATA.findings.forEach((finding) => {
  for (const act of [...finding.at, ...finding.near]) NEAR[act].add(finding.code);
});
const HAYSTACKS = ACTS.map((act, number) => {
  const places = [act.place, ...act.callers].map(
    (number) => `${PLACES[number].label} ${PLACES[number].text}`,
  );
  return [act.operator, act.operand, act.detail, LANES[act.lane], ...NEAR[number], ...places]
    .join("\n")
    .toLowerCase();
});
const CARDS = [...document.querySelectorAll("[data-finding]")];
const CARD_TEXTS = CARDS.map((card) =>
  [...card.querySelectorAll("header, .hit, .help, .chain")]
    .map((part) => part.textContent)
    .join("\n")
    .toLowerCase(),
);

const fitsText = (haystack) => filters.text.split(/\s+/).every((word) => haystack.includes(word));

function fits(act, number) {
  const rules = NEAR[number];
  const byRule = !filters.rule || (filters.rule === NO_RULE ? !rules.size : rules.has(filters.rule));
  return (
    byRule &&
    filters.kinds.has(act.kind) &&
    (filters.lane === "" || act.lane === Number(filters.lane)) &&
    fitsText(HAYSTACKS[number])
  );
}

const inView = (i) => MOMENTS.end[i] >= view.from && MOMENTS.begin[i] <= view.to;

// Work out anew what is shown, and tell.
function refresh() {
  const fitting = ACTS.map(fits);
  shownActs = ACTS.map((act, number) =>
    fitting[number] && !zoomed() ? { count: act.count, seconds: act.seconds, bytes: act.bytes } : null,
  );
  for (let i = 0; zoomed() && i < MOMENTS.length; i++) {
    const act = MOMENTS.act[i];
    if (fitting[act] && inView(i)) countIn(act, i);
  }
  showCards(fitting);
  listeners.forEach((listener) => listener());
  tell();
}

function countIn(act, i) {
  const known = (shownActs[act] ??= { count: 0, seconds: null, bytes: null });
  const waited = MOMENTS.waited(i);
  known.count += MOMENTS.count(i);
  known.seconds = add(known.seconds, waited === null ? null : waited / 1e6);
  known.bytes = add(known.bytes, MOMENTS.bytes(i));
}

// A finding is shown if its words fit, and one of its waits and copies is shown; some have none.
function showCards(fitting) {
  const everything = filters.kinds.size === KINDS.length && filters.lane === "" && !zoomed();
  CARDS.forEach((card, number) => {
    const finding = DATA.findings[number];
    const byRule = !filters.rule || filters.rule === finding.code;
    const about = [...finding.at, ...finding.near];
    const byActs = everything || !about.length || about.some((act) => shownActs[act]);
    const byText = fitsText(CARD_TEXTS[number]) || finding.at.some((act) => fitting[act]);
    card.hidden = !(byRule && byActs && byText);
  });
  byId("no-findings").hidden = !CARDS.length || CARDS.some((card) => !card.hidden);
}

function tell() {
  const all = ACTS.reduce((sum, act) => sum + act.count, 0);
  const shown = shownActs.reduce((sum, act) => sum + (act ? act.count : 0), 0);
  const cards = CARDS.filter((card) => !card.hidden).length;
  const part = zoomed() ? `, from ${when(view.from)} to ${when(view.to)}` : "";
  byId("status").textContent =
    `${whole(shown)} of ${whole(all)} waits and copies, ${cards} of ${CARDS.length} findings and advice${part}`;
}

function show(from, to) {
  const least = TIMED ? 10 : 4;
  const width = Math.min(Math.max(to - from, least), EXTENT[1] - EXTENT[0]);
  view.from = Math.min(Math.max(from, EXTENT[0]), EXTENT[1] - width);
  view.to = view.from + width;
  refresh();
}

function option(value, text) {
  return element("option", { value, text });
}

function startFilters() {
  const form = byId("filters");
  form.hidden = false;
  KINDS.forEach((kind, number) => {
    if (!ACTS.some((act) => act.kind === number)) return;
    const box = element("input", { type: "checkbox", checked: "", value: number });
    byId("kinds").append(element("label", { class: `kind-${number}`, children: [box, KIND_NAMES[number]] }));
  });
  byId("lane").append(option("", "all"), ...LANES.map((lane, number) => option(number, lane)));
  const codes = [...new Set(DATA.findings.map((finding) => finding.code))].sort();
  byId("rule").append(
    option("", "all"),
    ...codes.map((code) => option(code, code)),
    option(NO_RULE, "no rule reports it"),
  );
  byId("text").addEventListener("input", read);
  form.addEventListener("change", read);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () =>
    setTimeout(() => {
      read();
      show(...EXTENT);
    }),
  );
}

function read() {
  filters.text = byId("text").value.trim().toLowerCase();
  filters.lane = byId("lane").value;
  filters.rule = byId("rule").value;
  const boxes = [...byId("kinds").querySelectorAll("input")];
  const off = new Set(boxes.filter((box) => !box.checked).map((box) => Number(box.value)));
  filters.kinds = new Set([...KINDS.keys()].filter((kind) => !off.has(kind)));
  refresh();
}
