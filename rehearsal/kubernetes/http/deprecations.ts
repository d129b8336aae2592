/** APIs that are on their way out: the warning that requests get, and the metric that remembers them. */
import type { ResourceRequest } from './request.ts';

/** Built-in ones by group and plural: since which minor, and the warning. */
const BUILT_IN: Record<string, { sinceMinor: number; warning: string }> = {
  '/endpoints': { sinceMinor: 33, warning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice' },
};

/** Requests on deprecated APIs since the server began. */
export class DeprecatedRequests {
  readonly #seen = new Set<string>();

  /** Takes note of a request and warns its client. `version` is the server's minor. */
  note(request: ResourceRequest, version: string): void {
    const warning = warningOf(request, version);
    if (warning === undefined) return;
    request.warnings.push(warning);
    const { type, subresource = '' } = request;
    const labels = { group: type.group, removed_release: '', resource: type.plural, subresource, version: type.version };
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

function warningOf({ type, custom }: ResourceRequest, version: string): string | undefined {
  if (custom?.deprecated === true) return custom.deprecationWarning ?? `${type.group}/${type.version} ${type.kind} is deprecated`;
  const known = BUILT_IN[`${type.group}/${type.plural}`];
  return known && Number(version.split('.')[1]) >= known.sinceMinor ? known.warning : undefined;
}
