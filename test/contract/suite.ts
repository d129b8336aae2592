/** Registers every case as a test: what the server says must be what a real API server said when the answers were recorded. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { Conversation } from './conversation.ts';
import type { ContractServer } from './server.ts';

export interface Area {
  /** File name of its answers, too. */
  name: string;
  cases: Record<string, (talk: Conversation) => Promise<void>>;
}

/** The newest minor's answers; where an older one differs, it has answers of its own. */
const NEWEST = '1.34';

/** With BELAY_CONTRACT_RECORD=1, a real server's answers are written instead of compared. */
const recording = process.env['BELAY_CONTRACT_RECORD'] === '1';

/** Holds the server that `start` brings up to the recorded answers. `record`: it is a real one, whose answers may be recorded. */
export function contract(title: string, areas: readonly Area[], start: () => Promise<ContractServer>, record = false): void {
  describe(title, () => {
    let server: ContractServer;
    beforeAll(async () => void (server = await start()), 120_000);
    afterAll(async () => server?.close(), 30_000);

    for (const area of areas) {
      const answers = new Answers(area.name);
      describe(area.name, () => {
        for (const [name, tell] of Object.entries(area.cases)) {
          test(name, async () => {
            const talk = new Conversation(server);
            try {
              await tell(talk);
            } finally {
              await talk.close();
            }
            if (record && recording) answers.write(name, server.minor, talk.transcript);
            expect(talk.transcript).toEqual(answers.of(name, server.minor));
          });
        }
      });
    }
  });
}

class Answers {
  readonly #file: URL;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    this.#file = new URL(`answers/${name}.yaml`, import.meta.url);
  }

  of(name: string, minor: string): unknown {
    const all = this.#read();
    return all[`${name} (${minor})`] ?? all[name] ?? `no answer is recorded for ${this.#name}: ${name}`;
  }

  write(name: string, minor: string, transcript: unknown[]): void {
    const all = this.#read();
    const own = `${name} (${minor})`;
    delete all[own];
    if (minor === NEWEST) all[name] = transcript;
    else if (JSON.stringify(all[name]) !== JSON.stringify(transcript)) all[own] = transcript;
    mkdirSync(new URL('.', this.#file), { recursive: true });
    writeFileSync(this.#file, stringify(all, { lineWidth: 0, aliasDuplicateObjects: false }));
  }

  #read(): Record<string, unknown> {
    return existsSync(this.#file) ? (parse(readFileSync(this.#file, 'utf8')) ?? {}) : {};
  }
}
