// The source with what each line cost beside it.
let file = 0;

// For each line of the file, what is shown of it.
function costs() {
  const found = new Map();
  ACTS.forEach((act, number) => {
    const shown = shownActs[number];
    const place = PLACES[act.place];
    if (!shown || place.file !== file) return;
    if (!found.has(place.line)) found.set(place.line, { waits: nothing(), copies: nothing() });
    const line = found.get(place.line);
    const known = act.kind === 0 ? line.waits : line.copies;
    known.count += shown.count;
    known.seconds = add(known.seconds, shown.seconds);
  });
  // A copy and the wait for it are one visit of a line: what counts are waits, and copies where there are none.
  for (const line of found.values()) Object.assign(line, line.waits.count ? line.waits : line.copies);
  return found;
}

const nothing = () => ({ count: 0, seconds: null });

function showSource() {
  const { lines, cells, unrun } = FILES[file];
  const idle = new Set(unrun);
  byId("unrun-help").hidden = !unrun.length;
  const cost = costs();
  const weigh = (known) => (TIMED ? (known.seconds ?? 0) : known.count);
  const said = spoken();
  const most = Math.max(...[...cost.values()].map(weigh), 0) || 1;
  const starts = new Map(cells.map((line, number) => [line, number + 1]));
  const made = [];
  lines.forEach((text, index) => {
    const number = index + 1;
    if (starts.has(number)) made.push(element("div", { class: "cell", text: `cell ${starts.get(number)}` }));
    const known = cost.get(number);
    const first = cells.length ? cells.filter((line) => line <= number).pop() : 1;
    made.push(
      sourceLine(
        number,
        number - (first ?? 1) + 1,
        text,
        known,
        known ? weigh(known) / most : 0,
        said.get(number),
        idle.has(number),
      ),
    );
  });
  byId("code").replaceChildren(...made);
}

// The rules that speak of each line of the file.
function spoken() {
  const found = new Map();
  DATA.findings.forEach((finding, number) => {
    const place = PLACES[finding.place];
    if (place.file !== file || CARDS[number].hidden) return;
    found.set(place.line, [...(found.get(place.line) ?? []), finding.code]);
  });
  return found;
}

function sourceLine(number, shownNumber, text, known, share, codes, isIdle) {
  const cost = element("span", { class: known ? "cost hot" : "cost" });
  if (known) {
    cost.style.setProperty("--share", String(0.06 + 0.32 * Math.sqrt(share)));
    cost.textContent = [
      ...(known.count ? [`${whole(known.count)}×`] : []),
      ...(known.seconds === null ? [] : [duration(known.seconds)]),
    ].join("  ");
  }
  const code = element("span", { class: "text", text });
  if (codes) code.append(element("span", { class: "said", text: codes.join(", ") }));
  return element("div", {
    class: isIdle ? "line idle" : "line",
    "data-line": number,
    children: [
      cost,
      element("span", { class: "nr", text: shownNumber }),
      code,
      ...(isIdle ? [element("span", { class: "hint", text: "not run" })] : []),
    ],
  });
}

// Show a place in its file, and put the focus there.
function openPlace(place) {
  if (file !== place.file) {
    file = place.file;
    byId("file").value = String(file);
    showSource();
  }
  const code = byId("code");
  code.querySelectorAll(".target").forEach((line) => line.classList.remove("target"));
  const line = code.querySelector(`[data-line="${place.line}"]`);
  byId("source").scrollIntoView();
  code.focus({ preventScroll: true });
  if (!line) return;
  line.classList.add("target");
  code.scrollTop = line.offsetTop - code.offsetTop - code.clientHeight / 3;
}

function startSource() {
  if (!FILES.length) return;
  byId("source").hidden = false;
  byId("source-help").textContent = TIMED
    ? "Beside a line stands how often the host waited there, or copied without a wait, and how long. The stronger the colour, the longer."
    : "Beside a line stands how often the host waited there, or copied without a wait. The stronger the colour, the more often.";
  byId("file").append(...FILES.map((each, number) => option(number, each.path)));
  byId("file").addEventListener("change", () => {
    file = Number(byId("file").value);
    showSource();
  });
  const byLabel = new Map(PLACES.map((place) => [place.label, place]));
  document.addEventListener("click", (event) => {
    const clicked = event.target.closest("[data-place]");
    const place = clicked && byLabel.get(clicked.dataset.place);
    if (!place) return;
    event.preventDefault();
    openPlace(place);
  });
  listeners.push(showSource);
}
