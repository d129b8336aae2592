/** Whole rehearsals with the recording proxy between Belay's own processes and the twin's AWS side. */
import { rehearse } from '../../../rehearsal/main.ts';
import { type Capture, type Exchange, startCapture } from './capture.ts';
import { PROGRAM } from '../../support/program.ts';

export interface Rehearsal {
  scenario: string;
  faults?: string[];
}

/** World seconds per wall second: as the end-to-end tests have it. */
const SPEED = 600;
/** More of them starve each other on a small machine. */
const AT_ONCE = 2;

/** What passed in each of them. Throws where one does not end well: its traffic would be half of what is meant. */
export async function captureRehearsals(rehearsals: readonly Rehearsal[]): Promise<Exchange[]> {
  const waiting = [...rehearsals];
  const exchanges: Exchange[] = [];
  const playOn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) exchanges.push(...(await captured(next)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, playOn));
  return exchanges;
}

async function captured({ scenario, faults = [] }: Rehearsal): Promise<Exchange[]> {
  let capture: Capture | undefined;
  const lines: string[] = [];
  try {
    const { ok, why } = await rehearse({
      program: PROGRAM,
      scenario,
      faults,
      speed: SPEED,
      auto: 'approve',
      kills: [],
      say: (line) => void lines.push(line),
      onStage: async (stage) => {
        capture = await startCapture(stage.aws.url, [scenario, ...faults].join(' '));
        // Belay's processes are told this address; they are not started yet.
        stage.aws.url = capture.url;
      },
    });
    if (!ok) throw new Error(`${scenario}: ${why}\n${lines.slice(-30).join('\n')}`);
    return capture?.exchanges ?? [];
  } finally {
    await capture?.close();
  }
}
