/** `belay check --all`: readiness of every cluster of belay.yaml, as one report. */
import type { Config } from '../../domain/policy/config/config.ts';
import type { ClusterCheck, ManyChecks } from '../../domain/readiness/many.ts';
import { renderAllHtml, renderAllJson, renderAllJunit, renderAllMarkdown } from '../../render/readiness/all.ts';
import type { CheckAllRequest } from '../../worker/local/check-all.ts';
import { checkedSoFar } from '../messages/fleet.ts';
import { renderCheckAll, verdictOf } from '../render/check-all.ts';
import { withoutControls } from '../shared/controls.ts';
import { say } from '../shared/context.ts';

export interface CheckAllOptions extends Pick<CheckAllRequest, 'target' | 'only' | 'skip' | 'namespace'> {
  format: 'text' | 'json' | 'markdown' | 'html' | 'junit';
}

/** Says on stderr what became of each cluster as it is done. */
export async function runCheckAll(config: Config, options: CheckAllOptions): Promise<{ checks: ManyChecks; text: string }> {
  const { checkAll } = await import('../../worker/local/check-all.ts');
  const { target, only, skip, namespace, format } = options;
  let done = 0;
  const onChecked = (check: ClusterCheck): void => {
    done += 1;
    say(checkedSoFar({ count: done, of: config.clusterNames.length }, check.cluster.name, verdictOf(check)));
  };
  const checks = await checkAll(config, { target, only, skip, namespace, onChecked });
  return { checks, text: render(checks, format) };
}

function render(checks: ManyChecks, format: CheckAllOptions['format']): string {
  switch (format) {
    case 'text':
      return renderCheckAll(withoutControls(checks));
    case 'json':
      return renderAllJson(checks);
    case 'markdown':
      return renderAllMarkdown(checks, verdictOf);
    case 'html':
      return renderAllHtml(checks, verdictOf);
    case 'junit':
      return renderAllJunit(checks);
  }
}
