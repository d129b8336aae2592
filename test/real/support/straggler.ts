/** A proxy that is no pod's, such as that of a virtual machine: an xDS client of a real istiod, as long as the test wants it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideParts } from '../../../rehearsal/real/parts/build.ts';
import { PARTS } from '../../../rehearsal/real/parts/table.ts';
import { eventually } from '../../support/eventually.ts';
import { query } from './prometheus.ts';

/** Prometheus scrapes every two seconds. */
const SEEN_MS = 60_000;

interface Known {
  revision: string;
  version: string;
  address: string;
}

/** The istiod that proxies of this revision connect to, as soon as there are any. `directory`: of the real parts. */
export async function istiodOf(directory: string, revision: string): Promise<Known> {
  const { version, address } = await eventually(
    `a proxy connects to istiod ${revision}`,
    () => {
      const proxies: Known[] = JSON.parse(readFileSync(join(directory, 'proxies.json'), 'utf8'));
      return proxies.find((proxy) => proxy.revision === revision);
    },
    SEEN_MS,
  );
  return { revision, version, address };
}

export class Straggler {
  readonly #process: ChildProcess;
  readonly #version: string;
  readonly #prometheusUrl: string;

  private constructor(process_: ChildProcess, version: string, prometheusUrl: string) {
    this.#process = process_;
    this.#version = version;
    this.#prometheusUrl = prometheusUrl;
  }

  /** Resolves when Prometheus has it from istiod. `others`: proxies of that version beside it. */
  static async connect(to: Known, options: { directory: string; prometheusUrl: string; others: number }): Promise<Straggler> {
    const [program = ''] = (
      await provideParts(
        PARTS.filter(({ name }) => name === 'istio-parts'),
        { env: process.env, say: () => undefined },
      )
    ).values();
    const file = join(options.directory, `straggler-${to.revision}.json`);
    writeFileSync(file, JSON.stringify([{ namespace: 'machines', pod: 'till-1', ip: '192.0.2.7', ...to }]));
    const child = spawn(program, ['proxies', file], { stdio: 'ignore' });
    const straggler = new Straggler(child, to.version, options.prometheusUrl);
    await straggler.#counted(options.others + 1);
    return straggler;
  }

  /** Resolves when nobody of its version is left. */
  async leave(): Promise<void> {
    this.#process.kill();
    await this.#counted(0);
  }

  async #counted(count: number): Promise<void> {
    await eventually(
      `pilot_xds has ${count} of ${this.#version}`,
      async () => {
        const [series] = await query(this.#prometheusUrl, `sum(pilot_xds{version="${this.#version}"}) or vector(0)`);
        return Number(series?.value) === count;
      },
      SEEN_MS,
    );
  }
}
