/** What stands before every change: the activity is one that changes something, and AWS says that we are who belay.yaml names. */
import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts';
import type { ClusterSettings } from '../../contract/ports.ts';
import { during, failureOf } from '../../runtime/translate-errors.ts';
import { currentSignal } from '../../runtime/context.ts';
import { roleFor } from './clients.ts';
import type { Access, Session } from './session.ts';

/** Credentials of a process can be exchanged while it runs; asking at each of a hundred patches is too often. */
const BELIEVED_FOR_MS = 60_000;

type Settings = Pick<ClusterSettings, 'ref' | 'roleArn' | 'writeRoleArn'>;

/** Throws AccessDenied where a role of its own changes and this is no activity that does. */
export function refuseToWrite({ ref, writeRoleArn }: Settings, session: Session | undefined): void {
  if (writeRoleArn === undefined || session?.writes === true) return;
  throw failureOf(
    'AccessDenied',
    `changing ${ref.name}: ${session?.activity ?? 'this'} only reads, and ${writeRoleArn} is for what a run does after its gates; report it as a bug of Belay`,
  );
}

/** A look at who we are, for each of the identities, that rejects unless it is the plan's account and the role of belay.yaml. */
export function callerProof(
  settings: Settings,
  identities: readonly { access: Access; sts: STSClient }[],
  nowMs = Date.now,
): () => Promise<void> {
  let believed: { proof: Promise<void>; atMs: number } | undefined;
  return () => {
    if (believed === undefined || nowMs() - believed.atMs >= BELIEVED_FOR_MS) {
      const made = { proof: proveAll(settings, identities), atMs: nowMs() };
      believed = made;
      // A failed proof is tried again at the next change.
      made.proof.catch(() => {
        if (believed === made) believed = undefined;
      });
    }
    return believed.proof;
  };
}

async function proveAll(settings: Settings, identities: readonly { access: Access; sts: STSClient }[]): Promise<void> {
  await Promise.all(
    identities.map(async ({ access, sts }) => {
      const { Account: account, Arn: arn = 'nobody' } = await during(
        `asking STS who may ${access === 'write' ? 'change' : 'read'} ${settings.ref.name}`,
        () => sts.send(new GetCallerIdentityCommand({}), { abortSignal: currentSignal() }),
      );
      const problem = whyAnother(settings, access, { account, arn });
      if (problem !== undefined) throw failureOf('Configuration', `changing ${settings.ref.name}: ${problem}`);
    }),
  );
}

/** Why this caller is not the one that the plan and belay.yaml mean; undefined: it is. */
function whyAnother(
  settings: Settings,
  access: Access,
  { account, arn }: { account: string | undefined; arn: string },
): string | undefined {
  const { ref } = settings;
  const key = access === 'write' && settings.writeRoleArn !== undefined ? 'writeRole' : 'role';
  const where = `clusters.${ref.name}.${key} in belay.yaml`;
  if (account !== ref.account)
    return `AWS says that we are ${arn} in account ${account ?? '?'}, but the plan is for account ${ref.account}; correct ${where}`;
  const role = roleFor(settings, access);
  if (role === undefined || isSessionOf(arn, role)) return undefined;
  return `AWS says that we are ${arn}, which is no session of ${role}; correct ${where}, or the credentials of this process`;
}

/** An assumed role's ARN has the role's name, without its path: arn:aws:sts::1:assumed-role/belay/session of arn:aws:iam::1:role/tools/belay. */
function isSessionOf(arn: string, role: string): boolean {
  const [, partition, , , account, resource = ''] = role.split(':');
  return arn.startsWith(`arn:${partition}:sts::${account}:assumed-role/${resource.split('/').at(-1)}/`);
}
