/** `belay permissions`: the rights for exactly what belay.yaml uses. Reads nothing but that file. */
import { Command } from 'commander';
import { nearest } from '../../domain/policy/config/base/nearest.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { accessPart, iamStatements, policyDocument } from '../../domain/policy/permissions/iam.ts';
import { ASKED_FOR } from '../../domain/policy/permissions/options.ts';
import { recordsStatements } from '../../domain/policy/permissions/records.ts';
import { awsUseOf, type Named, placeOf, roleOptionsOf } from '../../domain/policy/permissions/use.ts';
import { type CommonOptions, oneOf, print, readConfig, say, withCommon } from '../shared/context.ts';
import { CliError } from '../shared/errors.ts';
import { kubernetesManifest } from '../permissions/kubernetes.ts';
import { asTerraform } from '../permissions/terraform.ts';
import { IAM_PARTS, type PolicyDocument } from '../../domain/policy/permissions/iam-use.ts';
import { clustersDiffer, unknownCluster, unknownRight } from '../messages/arguments.ts';
import { noPassRoleForAddOns, noPassRoleForNodes } from '../messages/setup.ts';

const FORMATS = ['json', 'terraform', 'kubernetes'] as const;

interface PermissionsOptions extends CommonOptions {
  cluster?: string[];
  twoRoles?: boolean;
  terraform?: boolean;
  format: (typeof FORMATS)[number];
  addOnRole?: string[];
  nodeRole?: string[];
  launchTemplate?: string[];
  with?: (typeof ASKED_FOR)[number][];
}

export function permissionsCommand(): Command {
  return withCommon(new Command('permissions'))
    .description('print the IAM policy, or Kubernetes roles and admission policies, for what belay.yaml uses')
    .option('--cluster <names...>', 'these clusters only (default: all)')
    .option('--two-roles', 'separate policies for role (reads) and writeRole (changes)')
    .option('--format <format>', FORMATS.join(', '), oneOf(...FORMATS), 'json')
    .option('--terraform', 'the same as --format terraform')
    .option('--add-on-role <roles...>', 'IAM roles of add-ons, passed when updating them')
    .option('--node-role <roles...>', 'IAM roles of nodes, for nodeGroups.selfManaged: refresh')
    .option(
      '--launch-template <ids...>',
      'launch templates, for nodeGroups.selfManaged: refresh (default: those with the tag belay=CLUSTER)',
    )
    .option('--with <rights...>', `further rights: ${ASKED_FOR.join(', ')}`)
    .action((options: PermissionsOptions) => {
      const config = readConfig(options);
      const names = clustersOf(config, options.cluster);
      const named = namedIn(options);
      const twoRoles = options.twoRoles === true;
      if (options.format === 'kubernetes') return print(kubernetesOf(config, names, named, twoRoles));
      const policies = policiesOf(config, names, named, twoRoles);
      notePassing(policies, config, names, named);
      if (options.terraform === true || options.format === 'terraform') return print(asTerraform(policies).trimEnd());
      const [only, ...more] = policies;
      const shown = more.length === 0 ? only?.document : Object.fromEntries(policies.map(({ name, document }) => [name, document]));
      return print(JSON.stringify(shown, null, 2));
    });
}

function clustersOf(config: Config, asked: string[] | undefined): string[] {
  for (const name of asked ?? []) {
    if (config.clusterNames.includes(name)) continue;
    const near = nearest(name, config.clusterNames);
    throw new CliError(unknownCluster(config.fileName, name, near));
  }
  return asked ?? config.clusterNames;
}

function namedIn({ addOnRole = [], nodeRole = [], launchTemplate = [], with: also = [] }: PermissionsOptions): Named {
  const unknown = also.find((each) => !ASKED_FOR.includes(each));
  if (unknown !== undefined) throw new CliError(unknownRight(unknown, ASKED_FOR));
  return { addOnRoles: addOnRole, nodeRoles: nodeRole, launchTemplates: launchTemplate, also };
}

/** One policy, or one for each of two roles, and those of the bucket, which no role of a cluster needs. */
function policiesOf(
  config: Config,
  names: readonly string[],
  named: Named,
  twoRoles: boolean,
): { name: string; document: PolicyDocument }[] {
  const rights = names.flatMap((name) =>
    IAM_PARTS.flatMap((part) => iamStatements(part, placeOf(config, name), awsUseOf(config, name, named))),
  );
  const whole = policyDocument(rights);
  const records = (['write', 'read'] as const).flatMap((access) => {
    const statements = recordsStatements(config.records, access);
    return statements.length === 0
      ? []
      : [{ name: access === 'write' ? 'belay-records' : 'belay-records-reader', document: policyDocument(statements) }];
  });
  if (!twoRoles) return [{ name: 'belay', document: whole }, ...records];
  const parts = (['read', 'write'] as const).flatMap((access) => {
    const document = accessPart(whole, access);
    return document === undefined ? [] : [{ name: `belay-${access}`, document }];
  });
  return [...parts, ...records];
}

/** A manifest is one cluster's; clusters with the same options share it. */
function kubernetesOf(config: Config, names: readonly string[], { also }: Named, twoRoles: boolean): string {
  const kinds = new Map<string, string[]>();
  for (const name of names) {
    const key = roleOptionsOf(config, name, also).join(' ');
    kinds.set(key, [...(kinds.get(key) ?? []), name]);
  }
  const [[, sharing] = ['', []], other] = [...kinds];
  if (other !== undefined) throw new CliError(clustersDiffer(sharing, other[1]));
  return kubernetesManifest(roleOptionsOf(config, sharing[0] ?? '', also), twoRoles);
}

/** What cannot be read from belay.yaml is left out, and said. */
function notePassing(policies: { document: PolicyDocument }[], config: Config, names: readonly string[], named: Named): void {
  const actions = policies.flatMap(({ document }) => document.Statement.flatMap(({ Action }) => Action));
  if (actions.includes('eks:UpdateAddon') && named.addOnRoles.length === 0) say(noPassRoleForAddOns());
  if (names.some((name) => awsUseOf(config, name, named).selfManaged) && named.nodeRoles.length === 0) say(noPassRoleForNodes());
}
