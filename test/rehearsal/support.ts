/** A stepped world behind the AWS stand-in, with a real AWS client. */
import { EKSClient } from '@aws-sdk/client-eks';
import { type AwsServer, startAwsServer } from '../../rehearsal/aws/eks/server.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import { findScenario } from '../../rehearsal/scenarios/index.ts';
import { buildWorld, type BuiltWorld } from '../../rehearsal/world/build.ts';
import { ManualClock } from '../../rehearsal/world/manual-clock.ts';

export const MINUTE_MS = 60_000;

export interface Twin extends BuiltWorld {
  eks: EKSClient;
  aws: AwsServer;
  close(): Promise<void>;
  /** Steps until it holds; throws after `limitMinutes` world-minutes. */
  until(what: string, holds: () => boolean, limitMinutes?: number): void;
}

/** Worlds without AWS need no server: for controllers alone. */
export function steppedWorld(scenario: string | Scenario, faults: string[] = []): BuiltWorld {
  const found = typeof scenario === 'string' ? findScenario(scenario) : scenario;
  return buildWorld({ scenario: found, speed: 1, clock: new ManualClock({ startsAt: found.startsAt }), faults });
}

export function stepUntil(built: BuiltWorld, what: string, holds: () => boolean, limitMinutes = 60): void {
  for (let tenths = 0; tenths < limitMinutes * 10; tenths += 1) {
    if (holds()) return;
    built.step(MINUTE_MS / 10);
  }
  throw new Error(`not within ${limitMinutes} world-minutes: ${what}`);
}

export async function openTwin(scenario: string | Scenario, faults: string[] = []): Promise<Twin> {
  const built = steppedWorld(scenario, faults);
  const aws = await startAwsServer({ world: built.world });
  built.owners.connect(aws.url);
  const eks = new EKSClient({
    endpoint: aws.url,
    region: built.scenario.cluster.region,
    credentials: { accessKeyId: 'AKIAREHEARSAL0000000', secretAccessKey: 'rehearsal' },
    maxAttempts: 1,
  });
  return {
    ...built,
    eks,
    aws,
    until: (what, holds, limitMinutes) => stepUntil(built, what, holds, limitMinutes),
    async close() {
      eks.destroy();
      await aws.close();
    },
  };
}
