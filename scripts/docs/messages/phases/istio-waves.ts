/** Examples of workflows/messages: waves of namespaces to a new Istio revision. */
import * as waves from '../../../../workflows/messages/istio/waves.ts';
import { chapter } from '../chapter.ts';

const LABEL = 'wave 2 of 3 to 1-28';
const WAVE: waves.WaveText = {
  fromRevision: '1-26',
  toRevision: '1-28',
  index: 1,
  waveCount: 3,
  contents: ['pay', 'web'],
  next: { contents: ['shop', 'search'], namespacesOnly: true },
  keeps: false,
  seen: { podCount: 6, traffic: { kind: 'pass', lines: ['pay: 5xx 0.6 % → 0.6 %'] } },
  illness: undefined,
  earlier: ['docs'],
  tags: [],
};
const WORSE = 'pay: 5xx 0.6 % → 1.8 % (3 of the last 5 readings)';
const BACK = { names: ['pay', 'web'], to: '1-26', why: 'its traffic got worse' };

export const istioWaveChapter = chapter('Istio waves', 'workflows/messages/istio/waves.ts', waves, {
  waveTitle: [[1, 3, '1-28']],
  movedWavesStay: [[WAVE]],
  movingWave: [[LABEL, ['pay', 'web']]],
  waveBakeEnded: [[LABEL]],
  waveIsIll: [
    [LABEL, { is: 'traffic', lines: [WORSE] }],
    [LABEL, { is: 'balancer', lines: ['edge/public: a1.elb.amazonaws.com → b2.elb.amazonaws.com'] }],
  ],
  waveGate: [
    [WAVE],
    [
      {
        ...WAVE,
        seen: { podCount: 6, traffic: { kind: 'fail', lines: [WORSE] } },
        illness: { is: 'traffic', lines: [WORSE] },
        tags: ['stable'],
      },
    ],
  ],
  waveBackReason: [['traffic'], ['rejected'], ['undecided'], ['undo-all']],
  movingWaveBack: [[BACK]],
  verifyingWaveBack: [[['pay', 'web'], '1-26']],
  waveMovedBack: [
    [BACK, { kind: 'verified', podCount: 6, traffic: { kind: 'pass', lines: ['pay: 5xx 0.6 % → 0.6 %'] } }],
    [BACK, { kind: 'not-verified', why: 'rollouts did not finish in time' }],
  ],
  heldNotMovedBack: [['Tag stable', { by: 'Argo CD', to: '1-26' }]],
  waveNotMovedBack: [[['pay', 'web'], { to: '1-26', problem: 'the API server does not answer' }]],
});
