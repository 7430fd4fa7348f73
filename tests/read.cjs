// Reads a log of histograms by its official JavaScript reader: node read.cjs MODULE LOG
//
// Prints one JSON object: tag to number of lines, and count, median, 99th percentile and longest of all its histograms together.
'use strict';

const { readFileSync } = require('node:fs');

const [readerModule, path] = process.argv.slice(2);
const { HistogramLogReader } = require(readerModule);

// Counters of 64 bits: none overflows when histograms are added.
const reader = new HistogramLogReader(readFileSync(path, 'utf8'), 64);
const tags = {};
for (let histogram = reader.nextIntervalHistogram(); histogram !== null; histogram = reader.nextIntervalHistogram()) {
  const known = tags[histogram.tag];
  if (known === undefined) {
    histogram.autoResize = true;
    tags[histogram.tag] = { lines: 1, merged: histogram };
  } else {
    known.lines += 1;
    known.merged.add(histogram);
  }
}
const figures = Object.entries(tags).map(([tag, { lines, merged }]) => [tag, {
  lines,
  count: merged.totalCount,
  p50: merged.getValueAtPercentile(50),
  p99: merged.getValueAtPercentile(99),
  max: merged.maxValue,
}]);
console.log(JSON.stringify(Object.fromEntries(figures)));
