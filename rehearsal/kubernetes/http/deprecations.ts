/** APIs that are on their way out: the warning that requests get, and the metric that remembers them. */
import { DEPRECATED_VERSIONS, olderVersions } from '../deprecated-versions.ts';
import type { ResourceType } from '../store.ts';
import type { ResourceRequest } from './request.ts';

/** Built-in ones that no version replaces, by group and plural: since which minor, and the warning. */
const BUILT_IN: Record<string, { sinceMinor: number; warning: string }> = {
  '/endpoints': { sinceMinor: 33, warning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice' },
};

/** Requests on deprecated APIs since the server began. */
export class DeprecatedRequests {
  readonly #seen = new Set<string>();

  /** `paths`: what it has been asked before. */
  constructor(paths: readonly string[] = []) {
    for (const path of paths) {
      const old = DEPRECATED_VERSIONS.find(({ group, version, plural }) => path.startsWith(`/apis/${group}/${version}/${plural}`));
      if (old) this.#remember(old, `1.${old.removedMinor}`);
    }
  }

  /** Takes note of a request and warns its client. True: it is on a deprecated API. */
  note(request: ResourceRequest): boolean {
    const deprecation = deprecationOf(request);
    if (deprecation === undefined) return false;
    request.warnings.push(deprecation.warning);
    this.#remember(request.type, deprecation.removedRelease, request.subresource);
    return true;
  }

  #remember({ group, version, plural }: Pick<ResourceType, 'group' | 'version' | 'plural'>, removedRelease = '', subresource = ''): void {
    const labels = { group, removed_release: removedRelease, resource: plural, subresource, version };
    this.#seen.add(
      Object.entries(labels)
        .map(([name, value]) => `${name}="${value}"`)
        .join(','),
    );
  }

  /** Lines of the exposition format. */
  metrics(): string[] {
    const name = 'apiserver_requested_deprecated_apis';
    return [`# TYPE ${name} gauge`, ...[...this.#seen].sort().map((labels) => `${name}{${labels}} 1`)];
  }
}

interface Deprecation {
  warning: string;
  /** "1.32" */
  removedRelease?: string;
}

function deprecationOf({ type, custom, serverVersion }: ResourceRequest): Deprecation | undefined {
  const { group, plural, version, kind } = type;
  if (custom?.deprecated === true) return { warning: custom.deprecationWarning ?? `${group}/${version} ${kind} is deprecated` };
  const old = olderVersions(type, serverVersion).find((candidate) => candidate.version === version);
  if (old) {
    const removedRelease = `1.${old.removedMinor}`;
    const instead = `${group}/${old.replacement} ${kind}`;
    return {
      warning: `${group}/${version} ${kind} is deprecated in v1.${old.sinceMinor}+, unavailable in v${removedRelease}+; use ${instead}`,
      removedRelease,
    };
  }
  const known = BUILT_IN[`${group}/${plural}`];
  return known && Number(serverVersion.split('.')[1]) >= known.sinceMinor ? known : undefined;
}
