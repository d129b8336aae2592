/** Debian's Prometheus, scraping one page with the rules of the chart. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePorts } from '../../../../rehearsal/processes/free-port.ts';
import { field } from '../../../../domain/core/unknown.ts';
import { root } from '../../../deploy/files.ts';
import { RULES } from '../../../deploy/rules.ts';

export interface Prometheus {
  /** Series of an instant query's answer. Throws what Prometheus says of a query that it cannot do. */
  count(query: string): Promise<number>;
  /** Of each rule: its name, and whether it could be evaluated. */
  rules(): Promise<{ name: string; health: string }[]>;
  stop(): Promise<void>;
}

/** `target`: host and port. */
export async function startPrometheus(target: string): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'belay-prometheus-'));
  const [port] = await freePorts(1);
  writeFileSync(
    join(directory, 'prometheus.yml'),
    stringify({
      global: { scrape_interval: '5s', scrape_timeout: '5s', evaluation_interval: '1s' },
      rule_files: [join(root, RULES)],
      scrape_configs: [{ job_name: 'belay', static_configs: [{ targets: [target] }] }],
    }),
  );
  const listen = `127.0.0.1:${port}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=${listen}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ask = async (path: string): Promise<unknown> => {
    const answer: unknown = await (await fetch(`http://${listen}${path}`)).json();
    if (field(answer, 'status') !== 'success') throw new Error(String(field(answer, 'error')));
    return field(answer, 'data');
  };
  return {
    async count(query) {
      const result = field(await ask(`/api/v1/query?query=${encodeURIComponent(query)}`), 'result');
      return Array.isArray(result) ? result.length : 0;
    },
    async rules() {
      const groups = field(await ask('/api/v1/rules'), 'groups') as { rules: { name: string; health: string }[] }[];
      return groups.flatMap(({ rules }) => rules.map(({ name, health }) => ({ name, health })));
    },
    async stop() {
      await ended(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => void child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}
