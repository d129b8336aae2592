/** Lines of Prometheus' text format as programs write them, and lines that are none. */
import { describe, expect, test } from 'vitest';
import { parseSample, sampleName } from '../../../../domain/health/metrics/exposition.ts';

describe('a line of the text format', () => {
  test.each<[string, ReturnType<typeof parseSample>]>([
    ['up 1', { name: 'up', labels: {}, value: 1 }],
    ['up{} 0', { name: 'up', labels: {}, value: 0 }],
    ['up{}1', { name: 'up', labels: {}, value: 1 }],
    ['  up\t 1e-05 1395066363000', { name: 'up', labels: {}, value: 0.00001 }],
    ['up 3 -3982045', { name: 'up', labels: {}, value: 3 }],
    ['up 1\r', { name: 'up', labels: {}, value: 1 }],
    ['rule:up:sum 2.', { name: 'rule:up:sum', labels: {}, value: 2 }],
    ['up +Inf', { name: 'up', labels: {}, value: Number.POSITIVE_INFINITY }],
    ['up -Inf', { name: 'up', labels: {}, value: Number.NEGATIVE_INFINITY }],
    ['up NaN', { name: 'up', labels: {}, value: Number.NaN }],
    ['http_total{method="post",code="400",} 3', { name: 'http_total', labels: { method: 'post', code: '400' }, value: 3 }],
    ['http_total { method = "post" , code="" } 3', { name: 'http_total', labels: { method: 'post', code: '' }, value: 3 }],
    [
      String.raw`paths{path="C:\\DIR\\FILE.TXT",error="Cannot find \"FILE\"\n",braces="}{,="} 1.458255915e9`,
      { name: 'paths', labels: { path: 'C:\\DIR\\FILE.TXT', error: 'Cannot find "FILE"\n', braces: '}{,=' }, value: 1_458_255_915 },
    ],
    [String.raw`x{newline_not="\\n"} 1`, { name: 'x', labels: { newline_not: String.raw`\n` }, value: 1 }],
    ['h_bucket{le="+Inf"} 144320', { name: 'h_bucket', labels: { le: '+Inf' }, value: 144_320 }],
    ['# HELP up Is it up?', undefined],
    ['# TYPE up gauge', undefined],
    ['#', undefined],
    ['   ', undefined],
    ['', undefined],
  ])('%s', (line, sample) => {
    expect(parseSample(line)).toEqual(sample);
    if (sample !== undefined) expect(sampleName(line)).toBe(sample.name);
  });

  test.each([
    ['{a="1"} 1', 'it does not begin with the name of a metric'],
    ['9lives 1', 'it does not begin with the name of a metric'],
    ['up', 'a value, and at most a whole timestamp, has to follow'],
    ['up 1 2 3', 'a value, and at most a whole timestamp, has to follow'],
    ['up 1 1.5', 'a value, and at most a whole timestamp, has to follow'],
    ['up one', '"one" is no number'],
    ['up 0x10', '"0x10" is no number'],
    ['up{a=1} 1', 'label="value" or } is needed at character 4'],
    ['up{a="1" 1', ', or } is needed at character 10'],
    ['up{a="1"b="2"} 1', ', or } is needed at character 9'],
    ['up{a="1} 1', 'label="value" or } is needed at character 4'],
    ['up{,} 1', 'label="value" or } is needed at character 4'],
    ['up{a="1",a="2"} 1', 'the label a is there twice'],
  ])('%s is none', (line, why) => {
    expect(() => parseSample(line)).toThrow(`"${line}" is no line of Prometheus' text format: ${why}`);
  });
});
