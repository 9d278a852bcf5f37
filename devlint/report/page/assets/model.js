// The data of the page, and how numbers are written.
const DATA = JSON.parse(document.getElementById("data").textContent);
const { acts: ACTS, places: PLACES, files: FILES, lanes: LANES, kinds: KINDS, timed: TIMED } = DATA;

// Moments as columns. `begin` and `end` are where each lies on the axis: microseconds, or the number of the
// event where no time was measured.
const MOMENTS = (() => {
  const columns = DATA.moments;
  const length = columns.act.length;
  const begin = new Float64Array(length);
  const end = new Float64Array(length);
  let order = 0;
  for (let i = 0; i < length; i++) {
    const count = columns.count ? columns.count[i] : 1;
    begin[i] = TIMED ? columns.start[i] : order;
    end[i] = TIMED ? columns.start[i] + (columns.span ? columns.span[i] : 0) : order + count;
    order += count;
  }
  return {
    length,
    begin,
    end,
    act: Uint32Array.from(columns.act),
    count: (i) => (columns.count ? columns.count[i] : 1),
    waited: (i) => (columns.waited ? columns.waited[i] : null),
    bytes: (i) => (columns.bytes ? columns.bytes[i] : null),
    step: (i) => (columns.step ? columns.step[i] : 0),
  };
})();

const EXTENT = (() => {
  let last = 0;
  for (let i = 0; i < MOMENTS.length; i++) last = Math.max(last, MOMENTS.end[i]);
  return [0, last || 1];
})();

const whole = (number) => number.toLocaleString("en-US");
const times = (number) => (number === 1 ? "once" : `${whole(number)} times`);
const rounded = (value) => (value < 10 ? value.toFixed(1) : whole(Math.round(value)));

function duration(seconds) {
  for (const [unit, name] of [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "µs"],
  ]) {
    if (seconds >= unit) return `${rounded(seconds / unit)} ${name}`;
  }
  return seconds > 0 ? "less than 1 µs" : "0 s";
}

function size(bytes) {
  for (const [unit, name] of [
    [1e12, "TB"],
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "kB"],
  ]) {
    if (bytes >= unit) return `${rounded(bytes / unit)} ${name}`;
  }
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

// Where something lies on the axis, in words.
function when(position) {
  return TIMED ? duration(position / 1e6) : `event ${whole(Math.floor(position) + 1)}`;
}

const add = (left, right) => (left === null ? right : right === null ? left : left + right);

function link(place) {
  return element("a", { class: "place", href: "#source", "data-place": place.label, text: place.label });
}
