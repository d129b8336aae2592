/** Where Istio's images come from: two of its registries end. */
import { count } from '../../../core/text.ts';
import { type Check, type Resource, unlessAny } from '../../model/check.ts';
import { hasOwnTemplate, resourceOf } from '../../model/names.ts';
import { istioCheck } from './typed-check.ts';

/** The second is what the charts of 1.30 name by default. */
const ENDING = /^(?:gcr\.io\/istio-release|registry\.istio\.io)\//;

/** Proxies are injected with istiod's hub: where istiod's own image goes, theirs go as well. */
export const imageCheck: Check = istioCheck({
  code: 'IST016',
  title: 'Istio’s images come from a registry that stays',
  severity: 'required',
  reads: ['istio', 'workloads'],
  remediation: 'Set global.hub to docker.io/istio or a mirror of yours, then restart what has a proxy.',
  source: 'https://istio.io/latest/blog/2026/retirement-of-gcp/',
  look(_, { workloads }) {
    const bound = workloads.filter(hasOwnTemplate).flatMap((workload): Resource[] => {
      const images = workload.containers.map(({ image }) => image).filter((image) => ENDING.test(image));
      return images.length === 0 ? [] : [{ ...resourceOf(workload.kind, workload), note: [...new Set(images)].join(', ') }];
    });
    return unlessAny(
      bound,
      'No workload names an image of gcr.io/istio-release or registry.istio.io.',
      `${count(bound.length, 'workload')} with images from registries that Istio closes in December 2026: from then on no replaced node can pull them.`,
    );
  },
});
