/** Builds a twin in a process of its own and prints what it cost, as JSON: `node test/bench/twin-start.ts scale-500`. */
import { request } from 'node:https';
import { setStage } from '../../rehearsal/play/stage/stage.ts';
import { scenarioNamed } from '../../rehearsal/scenarios/index.ts';

/** What one twin costs to bring up, and to list pods from. */
export interface TwinCosts {
  startMs: number;
  residentMb: number;
  /** Wall time of one page of pods, by its size. */
  pageMs: Record<string, number>;
}

const PAGES = [50, 500, 5000];

async function measure(name: string): Promise<TwinCosts> {
  const scenario = scenarioNamed(name);
  if (scenario === undefined) throw new RangeError(`there is no scenario "${name}"`);
  const startedAt = performance.now();
  const stage = await setStage({ scenario, speed: 60, faults: [], temporalUi: () => undefined });
  const startMs = performance.now() - startedAt;
  const pageMs: Record<string, number> = {};
  const { url } = stage.kubernetes;
  // The first request of all pays for the connection and for code that is not compiled yet.
  await page(url, stage.kubernetesToken, 1);
  for (const size of PAGES) pageMs[size] = await page(url, stage.kubernetesToken, size);
  const residentMb = process.memoryUsage().rss / 1e6;
  await stage.close();
  return { startMs, residentMb, pageMs };
}

function page(url: string, token: string, limit: number): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/api/v1/pods?limit=${limit}`,
      { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false },
      (response) => {
        response.on('data', () => undefined);
        response.once('end', () => resolve(performance.now() - startedAt));
      },
    );
    asked.once('error', reject);
    asked.end();
  });
}

process.stdout.write(JSON.stringify(await measure(process.argv[2] ?? 'scale-50')));
