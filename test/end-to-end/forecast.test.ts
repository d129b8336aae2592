/** A forecast from the channel to the record: asked for in Slack, shown at the first gate, compared with what happened. All processes are real. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import { type Play, RIN } from './support/play.ts';
import { houses, Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';

let theatre: Theatre;
let play: Play;
beforeAll(async () => {
  theatre = await Theatre.open(houses('small', 1, { scenario: small }));
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

test('what is foreseen on a snapshot stands at the first gate, and in the record beside what happened', async () => {
  play = await theatre.play('small-1', {});
  await theatre.slack.submitCommand(RIN, `/eks-upgrade forecast ${play.cluster} 1.32`);
  const heading = `🔭 Forecast: ${play.cluster} 1.31 → 1.32`;
  const told = await eventually(() => theatre.slack.messages().find(({ text }) => text.startsWith(heading)));
  const files = theatre.slack.messages().filter(({ thread_ts: thread, ts }) => thread === told.ts && ts !== told.ts);
  expect(files.flatMap((message) => message.files ?? []).map(({ name }) => name)).toEqual([`${play.cluster}-1.32-forecast.html`]);
  const planned = await theatre.belay('plan', play.cluster, '--target', '1.32');
  expect(planned.stdout).toMatch(/^Simulated on a snapshot from (a moment|\d+ \w+) ago: /m);
  await play.start();
  expect(await play.closed()).toBe('COMPLETED');
  const shown = await theatre.belay('report', play.cluster, '--format', 'markdown');
  expect(shown.stdout).toMatch(/- Forecast\n {2}- Simulated on a snapshot from (a moment|\d+ \w+) ago: /);
  const report = await theatre.belay('report', play.cluster);
  expect(report.stdout).toMatch(/Forecast and fact\n {2}Rehearsed on: a snapshot of .+ UTC\n {2}Total: /);
  expect(report.stdout).toMatch(/Nodes replaced: \d+, forecast \d+/);
  const history = await theatre.belay('history', play.cluster);
  expect(history.stdout).toMatch(/Forecasts were off by \d+ % in total, /);
});
