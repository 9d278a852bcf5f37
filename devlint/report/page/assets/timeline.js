// The timeline: a row for each device and kind, drawn by pixel, so that it takes as long for a million events
// as for a thousand.
const ROW = 22;
const AXIS = 26;
const HEADING = -1;

const rows = [];
LANES.forEach((_, lane) => {
  const kinds = [...KINDS.keys()].filter((kind) =>
    ACTS.some((act) => act.lane === lane && act.kind === kind),
  );
  rows.push({ lane, kind: HEADING }, ...kinds.map((kind) => ({ lane, kind })));
});
const rowOf = ACTS.map((act) => rows.findIndex((row) => row.lane === act.lane && row.kind === act.kind));
const plot = byId("plot");
const canvas = byId("canvas");
let hovered = null;

const scale = (width) => width / (view.to - view.from);
const positionAt = (x, width) => view.from + x / scale(width);

// Which part of each pixel of each row is taken: by time, or by events where no time was measured.
function loads(width) {
  const found = rows.map(() => new Float32Array(width));
  const perPixel = scale(width);
  for (let i = 0; i < MOMENTS.length; i++) {
    const act = MOMENTS.act[i];
    if (!shownActs[act] || !inView(i)) continue;
    const row = found[rowOf[act]];
    const left = (MOMENTS.begin[i] - view.from) * perPixel;
    const right = (MOMENTS.end[i] - view.from) * perPixel;
    const first = Math.min(Math.max(Math.floor(left), 0), width - 1);
    const last = Math.min(Math.ceil(right), width) - 1;
    if (right - left < 1) row[first] += Math.max(right - left, 0.02);
    else for (let x = first; x <= last; x++) row[x] += 1;
  }
  return found;
}

function draw() {
  const width = Math.max(Math.floor(plot.clientWidth), 1);
  const height = rows.length * ROW + AXIS;
  const dense = window.devicePixelRatio || 1;
  canvas.width = width * dense;
  canvas.height = height * dense;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(dense, dense);
  const colour = colours();
  drawAxis(pen, width, height, colour);
  loads(width).forEach((load, number) => drawRow(pen, load, number, colour));
  drawMarks(pen, width, height, colour);
}

// The colours of the style sheet, which knows light from dark.
function colours() {
  const probe = plot.appendChild(element("span", { hidden: "" }));
  const of = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = {
    kinds: ["--wait", "--to", "--between", "--from"].map(of),
    rule: of("--rule"),
    soft: of("--soft"),
    muted: of("--muted"),
    ink: of("--ink"),
    focus: of("--focus"),
  };
  probe.remove();
  return found;
}

function drawRow(pen, load, number, colour) {
  const { kind } = rows[number];
  if (kind === HEADING) return;
  const top = number * ROW + 3;
  const tall = ROW - 6;
  pen.fillStyle = colour.soft;
  pen.fillRect(0, top, load.length, tall);
  pen.fillStyle = colour.kinds[kind];
  for (let x = 0; x < load.length; x++) {
    if (!load[x]) continue;
    const share = 0.35 + 0.65 * Math.min(load[x], 1);
    pen.fillRect(x, top + tall * (1 - share), 1, tall * share);
  }
}

function drawAxis(pen, width, height, colour) {
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "bottom";
  const step = tickStep((view.to - view.from) / Math.max(width / 110, 1));
  const places = (position) => Math.round((position - view.from) * scale(width)) + 0.5;
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    const x = places(at);
    pen.strokeStyle = colour.rule;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height - AXIS + 4);
    pen.stroke();
    pen.fillStyle = colour.muted;
    const text = tick(at, step);
    const wide = pen.measureText(text).width;
    pen.fillText(text, Math.min(Math.max(x - wide / 2, 0), width - wide), height - 4);
  }
}

function tickStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= least) * power;
  return TIMED ? step : Math.max(Math.round(step), 1);
}

function tick(position, step) {
  if (!TIMED) return whole(Math.round(position));
  const [unit, name] = EXTENT[1] >= 1e6 && step >= 1e3 ? [1e6, "s"] : step >= 100 ? [1e3, "ms"] : [1, "µs"];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  return `${(position / unit).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${name}`;
}

function drawMarks(pen, width, height, colour) {
  if (drag && drag.to !== drag.from) {
    const [left, right] = [drag.from, drag.to].sort((a, b) => a - b);
    pen.globalAlpha = 0.18;
    pen.fillStyle = colour.focus;
    pen.fillRect(left, 0, right - left, height - AXIS);
    pen.globalAlpha = 1;
  }
  if (cursor.moment === null || !inView(cursor.moment)) return;
  const middle = (MOMENTS.begin[cursor.moment] + MOMENTS.end[cursor.moment]) / 2;
  const x = Math.min(Math.max((middle - view.from) * scale(width), 1), width - 1);
  const top = rowOf[MOMENTS.act[cursor.moment]] * ROW;
  pen.strokeStyle = colour.ink;
  pen.lineWidth = 2;
  pen.strokeRect(x - 3, top + 1, 6, ROW - 2);
}

// The shown moment of a row that lies nearest; of several in a pixel the one for which the host waited longest.
function nearest(row, position, within = Infinity) {
  let best = null;
  let least = within;
  for (let i = 0; i < MOMENTS.length; i++) {
    const act = MOMENTS.act[i];
    if (rowOf[act] !== row || !shownActs[act] || !inView(i)) continue;
    const away = Math.max(MOMENTS.begin[i] - position, position - MOMENTS.end[i], 0);
    if (away < least || (away === least && best !== null && MOMENTS.waited(i) > MOMENTS.waited(best))) {
      [best, least] = [i, away];
    }
  }
  return best;
}

// What a moment is, in a sentence.
function described(i) {
  const act = ACTS[MOMENTS.act[i]];
  const waited = MOMENTS.waited(i);
  const bytes = MOMENTS.bytes(i);
  const parts = [
    act.kind === 0 ? `wait for ${LANES[act.lane]}` : `${KINDS[act.kind]} (${LANES[act.lane]}), ${act.detail}`,
    act.operand ? `${act.operator} of ${act.operand}` : act.operator,
    ...(waited === null ? [] : [`the host waited ${duration(waited / 1e6)}`]),
    ...(bytes === null ? [] : [size(bytes)]),
    ...(MOMENTS.count(i) > 1 ? [times(MOMENTS.count(i))] : []),
    ...(MOMENTS.step(i) ? [`after ${whole(MOMENTS.step(i))} steps`] : []),
    TIMED ? `at ${when(MOMENTS.begin[i])}` : when(MOMENTS.begin[i]),
  ];
  return parts.join(", ");
}

function showEvent(i) {
  const line = byId("event");
  if (i === null) {
    line.textContent = "";
    return;
  }
  const place = PLACES[ACTS[MOMENTS.act[i]].place];
  line.replaceChildren(
    element("strong", { text: described(i) }),
    " ",
    link(place),
    " ",
    element("code", { text: place.text }),
  );
}

let drag = null;

function within(event) {
  const box = canvas.getBoundingClientRect();
  const x = Math.min(Math.max(event.clientX - box.left, 0), box.width);
  return { x, width: box.width, row: Math.floor((event.clientY - box.top) / ROW) };
}

function startPointer() {
  plot.addEventListener("pointerdown", (event) => {
    const { x } = within(event);
    drag = { from: x, to: x };
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    const { x, width, row } = within(event);
    if (drag) {
      drag.to = x;
      draw();
      return;
    }
    const found = nearest(row, positionAt(x, width), 4 / scale(width));
    if (found !== hovered) showEvent((hovered = found) ?? cursor.moment);
  });
  plot.addEventListener("pointerup", (event) => {
    const { width, row, x } = within(event);
    const [left, right] = [drag.from, drag.to].sort((a, b) => a - b);
    drag = null;
    if (right - left > 4) show(positionAt(left, width), positionAt(right, width));
    else putCursor(nearest(row, positionAt(x, width)) ?? cursor.moment);
  });
  plot.addEventListener("dblclick", () => show(...EXTENT));
}

function startTimeline() {
  if (!MOMENTS.length) return;
  byId("timeline").hidden = false;
  byId("timeline-scale").textContent = TIMED
    ? "The taller a bar, the more of its time the host waited."
    : "No time was measured: events stand in their order, each as wide as the next.";
  rows.forEach((row) => {
    const children =
      row.kind === HEADING
        ? [LANES[row.lane]]
        : [element("span", { class: `dot kind-${row.kind}` }), KIND_NAMES[row.kind]];
    byId("rows").append(element("div", { class: row.kind === HEADING ? "lane" : "row", children }));
  });
  const half = (factor) => {
    const middle = (view.from + view.to) / 2;
    const reach = ((view.to - view.from) * factor) / 2;
    show(middle - reach, middle + reach);
  };
  byId("zoom-in").addEventListener("click", () => half(0.5));
  byId("zoom-out").addEventListener("click", () => half(2));
  byId("zoom-all").addEventListener("click", () => show(...EXTENT));
  startPointer();
  startKeys(half);
  listeners.push(draw);
  repaints.push(draw);
  new ResizeObserver(draw).observe(plot);
}
