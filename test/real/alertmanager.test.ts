/** A real Alertmanager (Debian package): what is silenced or inhibited there comes as suppressed, and with it stops nothing. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createAlertmanagerClient } from '../../activities/clients/metrics/alertmanager.ts';
import { unsuppressed } from '../../domain/health/alerts.ts';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { describeWith } from '../support/tools.ts';
import { provideParts } from '../../rehearsal/real/parts/build.ts';
import type { Part } from '../../rehearsal/real/parts/table.ts';
import { Troupe } from '../../rehearsal/real/troupe.ts';
import { PATIENCE } from '../support/eventually.ts';

const PART: Part = {
  name: 'prometheus-alertmanager',
  minutes: 1,
  source: { kind: 'debian', package: 'prometheus-alertmanager' },
};
/** Debian's build reads its templates from there, so that the program alone does not start. */
const TEMPLATES = {
  found: existsSync('/usr/share/prometheus/alertmanager/default.tmpl'),
  install: 'apt-get install prometheus-alertmanager',
};
const CLUSTER = { cluster: 'prod' };
const HOUR_MS = 3_600_000;

const directory = mkdtempSync(join(tmpdir(), 'belay-alertmanager-'));
const troupe = new Troupe({ directory, say: () => undefined, onGivenUp: () => undefined });
let url = '';

async function post(path: string, body: unknown): Promise<void> {
  const response = await fetch(`${url}/api/v2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

async function eventually<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  const deadlineMs = Date.now() + 40_000 * PATIENCE;
  while (Date.now() < deadlineMs) {
    const found = await read().catch(() => undefined);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`not in time: ${what}`);
}

async function start(): Promise<void> {
  const command = [...(await provideParts([PART], { env: process.env, say: () => undefined })).values()][0] ?? PART.name;
  const [port = 0] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  const file = join(directory, 'alertmanager.yml');
  const inhibits = { source_matchers: ['alertname="Outage"'], target_matchers: ['alertname="Consequence"'], equal: ['cluster'] };
  writeFileSync(file, stringify({ route: { receiver: 'nobody' }, receivers: [{ name: 'nobody' }], inhibit_rules: [inhibits] }));
  const flags = {
    'config.file': file,
    'storage.path': join(directory, 'data'),
    'web.listen-address': `127.0.0.1:${port}`,
    'cluster.listen-address': '',
  };
  troupe.start({ name: 'alertmanager', command, args: Object.entries(flags).map(([name, value]) => `--${name}=${value}`) });
  await eventually('Alertmanager answers', async () => ((await fetch(`${url}/-/ready`)).ok ? true : undefined));
}

afterAll(async () => {
  await troupe.close();
  rmSync(directory, { recursive: true, force: true });
});

describeWith(TEMPLATES, 'Alertmanager', () => {
  test('silenced and inhibited alerts are suppressed, others are not', async () => {
    await start();
    const names = ['Outage', 'Consequence', 'Silenced'];
    await post('silences', {
      matchers: [{ name: 'alertname', value: 'Silenced', isRegex: false, isEqual: true }],
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + HOUR_MS).toISOString(),
      createdBy: 'sam',
      comment: 'known',
    });
    await post(
      'alerts',
      names.map((alertname) => ({ labels: { alertname, ...CLUSTER } })),
    );
    const client = createAlertmanagerClient({ url });
    const states = async () =>
      Object.fromEntries((await client.alerts()).map(({ labels, suppressed }) => [labels['alertname'], suppressed]));
    const settled = await eventually('both are suppressed', async () => {
      const now = await states();
      return now['Consequence'] === true && now['Silenced'] === true ? now : undefined;
    });
    expect(settled).toEqual({ Outage: false, Consequence: true, Silenced: true });
    const series = names.map((alertname) => ({ labels: { __name__: 'ALERTS', alertstate: 'firing', alertname } }));
    expect(unsuppressed(series, await client.alerts()).map(({ labels }) => labels.alertname)).toEqual(['Outage']);
  });
});
