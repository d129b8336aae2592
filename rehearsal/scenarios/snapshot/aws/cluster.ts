/** EKS's own part of a recorded cluster. What was not recorded stays as the twin has it. */
import type { Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { EksState, HealthIssue } from '../../../aws/eks/state.ts';
import { DEFAULT_TEMPO } from '../../scenario.ts';
import { each, type Fields, record, records, text, texts, time } from './calls.ts';

export function fillCluster(eks: EksState, snapshot: Snapshot): void {
  const [found] = each(snapshot, 'DescribeCluster', 'cluster');
  if (found === undefined) return;
  const { cluster } = eks;
  const network = record(found['resourcesVpcConfig']);
  const key = record(records(found['encryptionConfig'])[0]?.['provider'])['keyArn'];
  Object.assign(
    cluster,
    stated({
      version: text(found['version']),
      platformVersion: text(found['platformVersion']),
      status: text(found['status']),
      createdAtMs: time(found['createdAt']),
      roleArn: text(found['roleArn']),
      keyArn: text(key),
      supportType: text(record(found['upgradePolicy'])['supportType']),
      subnetIds: list(network['subnetIds']),
      securityGroupIds: list(network['securityGroupIds']),
      clusterSecurityGroupId: text(network['clusterSecurityGroupId']),
      endpointPublicAccess: network['endpointPublicAccess'],
      endpointPrivateAccess: network['endpointPrivateAccess'],
      authenticationMode: text(record(found['accessConfig'])['authenticationMode']),
      autoMode: record(found['computeConfig'])['enabled'],
      zonalShift: record(found['zonalShiftConfig'])['enabled'],
      deletionProtection: found['deletionProtection'],
    }),
  );
  cluster.health = healthOf(found);
  if (snapshot.calls.some(({ operation, error }) => operation === 'GetRole' && error?.name.startsWith('NoSuchEntity') === true))
    cluster.roleGone = true;
  const keyState = text(each(snapshot, 'DescribeKey', 'KeyMetadata')[0]?.['KeyState']);
  if (keyState !== undefined && keyState !== 'Enabled') cluster.keyState = keyState;
  const logs = records(record(found['logging'])['clusterLogging']).filter(({ enabled }) => enabled === true);
  cluster.logging = logs.flatMap(({ types }) => texts(types));
  fillUpdates(eks, snapshot);
}

/** Which minor the cluster came from, and when: the window for a rollback. */
function fillUpdates(eks: EksState, snapshot: Snapshot): void {
  eks.updates = snapshot.calls.flatMap(({ operation, input, output }) => {
    const update = record(record(output)['update']);
    const id = text(update['id']);
    const createdAtMs = time(update['createdAt']);
    if (operation !== 'DescribeUpdate' || id === undefined || createdAtMs === undefined) return [];
    const nodeGroup = text(input['nodegroupName']);
    const addOn = text(input['addonName']);
    const name = nodeGroup ?? addOn;
    const params = records(update['params']).flatMap(({ type, value }) => {
      const [kind, what] = [text(type), text(value)];
      return kind === undefined || what === undefined ? [] : [{ type: kind, value: what }];
    });
    const status = statusOf(update['status']);
    return {
      id,
      resource: name === undefined ? { kind: 'cluster' } : { kind: nodeGroup === undefined ? 'add-on' : 'node-group', name },
      type: text(update['type']) ?? 'VersionUpdate',
      // What ran then goes on at AWS, where the twin cannot see it.
      status: status === 'InProgress' ? 'Successful' : status,
      params,
      createdAtMs,
      // EKS does not tell when.
      endedAtMs: createdAtMs + DEFAULT_TEMPO.controlPlaneUpdateMs,
      errors: [],
    };
  });
}

const statusOf = (value: unknown): EksState['updates'][number]['status'] =>
  value === 'InProgress' || value === 'Failed' || value === 'Cancelled' ? value : 'Successful';

export function healthOf(found: Fields): HealthIssue[] {
  return records(record(found['health'])['issues']).map((issue) => ({
    code: text(issue['code']) ?? 'Unknown',
    message: text(issue['message']) ?? 'The message is not in the snapshot.',
    resourceIds: texts(issue['resourceIds']),
  }));
}

/** What is not stated is left as it is. */
export const stated = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const list = (value: unknown): string[] | undefined => (Array.isArray(value) ? texts(value) : undefined);
