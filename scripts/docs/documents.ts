/** All generated documents: path in the repository and text. */
import { forecastJsonSchema } from '../../render/forecast/json.ts';
import { reportJsonSchema } from '../../render/readiness/json-report.ts';
import { configJsonSchema } from '../../domain/policy/config/schema.ts';
import { upgradeJsonSchema } from '../../domain/policy/config/upgrade-file.ts';
import { admissionDocument } from './admission.ts';
import { beliefsDocument } from './beliefs.ts';
import { checksDocument } from './checks.ts';
import { commandsDocument } from './commands.ts';
import { configurationDocument } from './configuration.ts';
import { failuresDocument } from './failures.ts';
import { faultsDocument } from './faults.ts';
import { kubernetesTwinDocument } from './kubernetes-twin.ts';
import { messagesDocument } from './messages/document.ts';
import { phasesDocument } from './phases.ts';
import { rulesDocument } from './rules.ts';
import { snapshotDocument } from './snapshot.ts';
import { snapshotJsonSchema } from '../../activities/observe/snapshot/schema.ts';
import { eventJsonSchema } from '../../worker/notifications/event-schema.ts';
import { policiesAndParts } from './two-roles.ts';

export interface GeneratedDocument {
  path: string;
  text: string;
}

/** Reads nothing but code, and deploy/: the same for everybody. */
export async function generatedDocuments(): Promise<GeneratedDocument[]> {
  return [
    { path: 'docs/belay.schema.json', text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
    { path: 'docs/event.schema.json', text: `${JSON.stringify(eventJsonSchema(), null, 2)}\n` },
    { path: 'docs/forecast.schema.json', text: `${JSON.stringify(forecastJsonSchema(), null, 2)}\n` },
    { path: 'docs/readiness.schema.json', text: `${JSON.stringify(reportJsonSchema(), null, 2)}\n` },
    { path: 'docs/snapshot.schema.json', text: `${JSON.stringify(snapshotJsonSchema(), null, 2)}\n` },
    { path: 'docs/upgrade.schema.json', text: `${JSON.stringify(upgradeJsonSchema(), null, 2)}\n` },
    { path: 'docs/reference/configuration.md', text: configurationDocument() },
    { path: 'docs/reference/commands.md', text: await commandsDocument() },
    { path: 'docs/reference/snapshot.md', text: snapshotDocument() },
    { path: 'docs/reference/checks.md', text: checksDocument() },
    { path: 'docs/inside/beliefs.md', text: beliefsDocument() },
    { path: 'docs/reference/rules.md', text: rulesDocument() },
    { path: 'docs/messages.md', text: messagesDocument() },
    { path: 'docs/reference/phases.md', text: phasesDocument() },
    { path: 'docs/reference/failures.md', text: failuresDocument() },
    { path: 'docs/reference/faults.md', text: faultsDocument() },
    { path: 'docs/inside/kubernetes-twin.md', text: kubernetesTwinDocument() },
    { path: 'deploy/kubernetes-admission.yaml', text: admissionDocument() },
    ...policiesAndParts(),
  ];
}
