/** One of the clusters of a region, by a numbered list on a terminal. */
import { createInterface } from 'node:readline/promises';
import { chooseCluster, noClusterChosen, noSuchNumber, whichNumber } from '../messages/without-file.ts';
import { CliError } from './errors.ts';

export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Asks until a number or a name of the list is written. Throws a CliError where the input ends before. */
export async function askWhich(region: string, names: readonly string[], { input, output }: Terminal): Promise<string> {
  const width = String(names.length).length;
  const lines = names.map((name, index) => `  ${String(index + 1).padStart(width)}  ${name}`);
  output.write(`${[chooseCluster(region), ...lines].join('\n')}\n`);
  const terminal = createInterface({ input, output });
  const ended = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(new CliError(noClusterChosen())));
  });
  ended.catch(() => {});
  try {
    for (;;) {
      const answer = (await Promise.race([terminal.question(whichNumber(names.length)), ended])).trim();
      const chosen = names.find((name) => name === answer) ?? (/^\d+$/.test(answer) ? names[Number(answer) - 1] : undefined);
      if (chosen !== undefined) return chosen;
      output.write(`${noSuchNumber(answer, names.length)}\n`);
    }
  } finally {
    terminal.close();
  }
}
