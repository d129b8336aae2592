/** All generated documents: path in the repository and text. */
import { reportJsonSchema } from '../../render/readiness/json-report.ts';
import { configJsonSchema } from '../../domain/policy/config/schema.ts';
import { admissionDocument } from './admission.ts';
import { beliefsDocument } from './beliefs.ts';
import { checksDocument } from './checks.ts';
import { commandsDocument } from './commands.ts';
import { configurationDocument } from './configuration.ts';
import { failuresDocument } from './failures.ts';
import { faultsDocument } from './faults.ts';
import { kubernetesTwinDocument } from './kubernetes-twin.ts';
import { phasesDocument } from './phases.ts';
import { rulesDocument } from './rules.ts';
import { policiesAndParts } from './two-roles.ts';

export interface GeneratedDocument {
  path: string;
  text: string;
}

/** Reads nothing but code, and deploy/: the same for everybody. */
export function generatedDocuments(): GeneratedDocument[] {
  return [
    { path: 'docs/belay.schema.json', text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
    { path: 'docs/readiness.schema.json', text: `${JSON.stringify(reportJsonSchema(), null, 2)}\n` },
    { path: 'docs/configuration.md', text: configurationDocument() },
    { path: 'docs/commands.md', text: commandsDocument() },
    { path: 'docs/checks.md', text: checksDocument() },
    { path: 'docs/beliefs.md', text: beliefsDocument() },
    { path: 'docs/rules.md', text: rulesDocument() },
    { path: 'docs/phases.md', text: phasesDocument() },
    { path: 'docs/failures.md', text: failuresDocument() },
    { path: 'docs/faults.md', text: faultsDocument() },
    { path: 'docs/kubernetes-twin.md', text: kubernetesTwinDocument() },
    { path: 'deploy/kubernetes-admission.yaml', text: admissionDocument() },
    ...policiesAndParts(),
  ];
}
