/** What `belay migrate karpenter` finds: files, and where a cluster or a policy was looked at, the steps and the gaps. */
import { readFileSync } from 'node:fs';
import type { MigrationStep } from '../../domain/plan/migration/checklist.ts';
import { stepsToV1 } from '../../domain/plan/migration/checklist-v1.ts';
import { stepsToV1beta1 } from '../../domain/plan/migration/checklist-v1beta1.ts';
import { checkKarpenterPolicy, type IamReport } from '../../domain/plan/migration/iam.ts';
import type { Step } from '../../domain/plan/migration/names.ts';
import type { MigrationState } from '../../domain/plan/migration/state.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { CliError } from '../shared/errors.ts';
import { filesOf } from './cluster-files.ts';
import { type FileMigration, migrateFiles } from './karpenter-files.ts';
import { policyUnreadable } from '../messages/arguments.ts';
import { defined } from '../../domain/core/defined.ts';

export interface Migration extends FileMigration {
  /** In a cluster: the order of the migration with what is true already. */
  steps?: MigrationStep[];
  unknowns?: MigrationState['unknowns'];
  /** Paths of `files` that somebody else will write again. */
  delivered?: { path: string; by: string }[];
  iam?: IamReport;
}

export function migrationOf(state: MigrationState, iam: IamReport | undefined): Migration {
  const sources = filesOf(state.objects);
  const migration = migrateFiles(sources, state.step);
  const changed = migration.files.filter(({ text, after }) => text !== after);
  const workloads = changed.filter(({ path }) => path.includes('/')).length;
  const beside = {
    ...(state.complete ? { left: { own: changed.length - workloads, workloads } } : {}),
    ...(iam === undefined ? {} : { iamGaps: iam.gaps.length }),
  };
  return {
    ...migration,
    steps: state.step === 'v1' ? stepsToV1(state, beside) : stepsToV1beta1(state, beside),
    unknowns: state.unknowns,
    delivered: sources.flatMap(({ path, deliveredBy }) => (deliveredBy === undefined ? [] : [{ path, by: deliveredBy }])),
    ...defined({ iam }),
  };
}

/** Throws a CliError for what is no policy document. */
export function readPolicy(file: string, step: Step): IamReport {
  try {
    return checkKarpenterPolicy(JSON.parse(readFileSync(file, 'utf8')), step);
  } catch (error) {
    throw new CliError(policyUnreadable(file, error instanceof SyntaxError ? 'it is not JSON' : messageOf(error)));
  }
}
