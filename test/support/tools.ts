/** Programs of others that tests need. Where one is missing its tests are skipped, with what installs it; under CI, which installs them all, they fail. */
import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';
import { findPart } from '../../rehearsal/real/parts/find.ts';
import { PARTS } from '../../rehearsal/real/parts/table.ts';

const helmPart = PARTS.find(({ name }) => name === 'helm');

/** On the PATH, or in Belay's own cache. */
export const HELM: string | undefined = helmPart === undefined ? undefined : findPart(helmPart, process.env);

export const hasKubectl = (): boolean => spawnSync('kubectl', ['version', '--client']).status === 0;

/** Tests that need a tool: `install` says how somebody gets it. */
export function describeWith({ found, install }: { found: boolean; install: string }, title: string, body: () => void): void {
  if (found) describe(title, body);
  else if (process.env['CI'] === undefined) describe.skip(`${title} (skipped: ${install})`, body);
  else
    describe(title, () => {
      test('has what it needs', () => {
        throw new Error(`Under CI nothing is skipped: ${install}`);
      });
    });
}

export const describeWithHelm = (title: string, body: () => void): void =>
  describeWith({ found: HELM !== undefined, install: 'no helm here; npm run real-parts -- helm' }, title, body);

export const describeWithKubectl = (title: string, body: () => void): void =>
  describeWith({ found: hasKubectl(), install: 'no kubectl on the PATH; install the one of your distribution' }, title, body);

/** `promtool` comes with Prometheus. */
export const describeWithPromtool = (title: string, body: () => void): void =>
  describeWith(
    { found: spawnSync('promtool', ['--version']).status === 0, install: 'no promtool here; apt-get install prometheus' },
    title,
    body,
  );

export const describeWithPrometheus = (title: string, body: () => void): void =>
  describeWith(
    { found: spawnSync('prometheus', ['--version']).status === 0, install: 'no prometheus here; apt-get install prometheus' },
    title,
    body,
  );
