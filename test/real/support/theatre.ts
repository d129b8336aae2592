/** A theatre whose plays have a real cluster: people and processes act at any moment, as in the suite on stand-ins. */
import { Api } from '../../../rehearsal/real/api.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import type { Stage } from '../../../rehearsal/play/stage/stage.ts';
import type { Play, PlayOptions } from '../../end-to-end/support/play.ts';
import { type House, Theatre } from '../../end-to-end/support/theatre.ts';

/** Real parts need wall time: no faster. */
const SPEED = 40;

export interface RealPlay {
  theatre: Theatre;
  play: Play;
  /** An administrator's client of the real API server. */
  api: Api;
  /** Where the real parts keep their logs and data. */
  directory: string;
  close(): Promise<void>;
}

/** The cluster stands when it resolves; nobody has asked for an upgrade. */
export async function openRealPlay(scenario: Scenario, options: PlayOptions, house: Omit<House, 'scenario'> = {}): Promise<RealPlay> {
  const directory = mkdtempSync(join(tmpdir(), 'belay-real-'));
  let givenUp: Error | undefined;
  const realParts = { directory, say: () => undefined, onGivenUp: (error: Error) => void (givenUp ??= error) };
  const theatre = await Theatre.open({ [scenario.cluster.name]: { scenario, ...house } }, { speed: SPEED, realParts });
  try {
    const play = await theatre.play(scenario.cluster.name, options);
    const api = clientOf(play.stage);
    const close = async (): Promise<void> => {
      api.close();
      await theatre.close();
      if (givenUp !== undefined) throw givenUp;
      if (process.env['BELAY_KEEP'] === undefined) rmSync(directory, { recursive: true, force: true });
    };
    return { theatre, play, api, directory: join(directory, 'real'), close };
  } catch (error) {
    await theatre.close();
    throw error;
  }
}

/** An administrator's client of a play's real API server; who takes it closes it. */
export function clientOf({ kubernetes, kubernetesToken }: Stage): Api {
  const { url, caData } = kubernetes;
  return new Api({ url, ca: Buffer.from(caData, 'base64').toString(), token: kubernetesToken });
}
