// The list as it is filtered and sorted now, as a CSV file.
const COLUMNS = {
  pair: (pair) => pair.id,
  system_a: (pair) => pair.systems[0],
  system_b: (pair) => pair.systems[1],
  content: (pair) => pair.ratings[0],
  voice_quality: (pair) => pair.ratings[1],
  paralinguistics: (pair) => pair.ratings[2],
  overall: (pair) => pair.overall,
  people: (pair) => pair.human,
  entropy_bits: (pair) => pair.entropy,
  category: (pair) => pair.category,
  flags: (pair) => pair.flags.join(" "),
};

// As in results.csv (trace_eval/data/csv_cells.py): every line break is quoted, and a cell that a
// spreadsheet would take for a formula begins with one more apostrophe.
const FORMULA = /^'*[=+\-@\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]/;
const QUOTED = /[",\r\n\v\f\x1c-\x1e\x85\u2028\u2029]/;

function cell(value) {
  let text = String(value ?? "");
  if (FORMULA.test(text) && !(text.trim() && Number(text) === Number(text))) text = `'${text}`;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(numbers) {
  const rows = numbers.map((number) => Object.values(COLUMNS).map((take) => take(INDEX[number])));
  return [Object.keys(COLUMNS), ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

$("#csv").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv(list.shown)], { type: "text/csv" }));
  link.download = "pairs.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
