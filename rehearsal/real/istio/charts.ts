/** Istio's real charts, as istiod's module carries them, with the versions that its release process would have written into them. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ChartSource } from '../../neighbours/helm/repository.ts';

/** Chart.yaml says so in the source tree. */
const WRITTEN_VERSION = '1.0.0';

export async function realCharts(command: string, directory: string): Promise<ChartSource> {
  const folder = join(directory, 'charts');
  rmSync(folder, { recursive: true, force: true });
  await promisify(execFile)(command, ['charts', folder]);
  return { folder, release };
}

function release(file: string, text: string, version: string): string {
  if (file === 'Chart.yaml') return text.replaceAll(WRITTEN_VERSION, version);
  if (!/\.ya?ml$/.test(file)) return text;
  return text.replace(/^( +tag: )latest$/m, `$1${version}`).replace(/^( +hub: )registry\.istio\.io\/testing$/m, '$1docker.io/istio');
}
