/** Roles and admission policies of a cluster, as one file for kubectl. */
import { readFileSync } from 'node:fs';
import { admissionPolicies } from '../../domain/policy/permissions/admission.ts';
import { changesWith } from '../../domain/policy/permissions/changes.ts';
import { ADMISSION_OPTIONS, type RoleOption } from '../../domain/policy/permissions/options.ts';
import { policiesAsYaml } from '../../domain/policy/permissions/yaml.ts';
import { rolesFor } from './roles.ts';

const deploy = new URL('../../deploy/', import.meta.url);

/** `options` with a Helm among them: no policies, since a chart changes what it likes. */
export function kubernetesManifest(options: readonly RoleOption[], twoRoles: boolean): string {
  const names = ['kubernetes-rbac.yaml', ...options.map((option) => `kubernetes-rbac-${option}.yaml`)];
  const roles = names.flatMap((name) => {
    const text = readFileSync(new URL(name, deploy), 'utf8');
    if (!twoRoles) return [text];
    return (['read', 'write'] as const).flatMap((access) => rolesFor(access, name, text) ?? []);
  });
  return [...roles, policies(options)].map((text) => text.trimEnd()).join('\n---\n');
}

function policies(options: readonly RoleOption[]): string {
  const helm = options.filter((option) => option === 'istio-helm' || option === 'karpenter-helm');
  if (helm.length > 0) return `# No admission policies: with ${helm.join(' and ')}, Belay is an administrator of the cluster.\n`;
  const used = ADMISSION_OPTIONS.filter((option) => options.some((each) => each === option));
  return `# Restrictions that roles cannot express: only these changes, only these fields.\n${policiesAsYaml(admissionPolicies(changesWith(used)))}`;
}
