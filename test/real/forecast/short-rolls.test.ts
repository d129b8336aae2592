/** Rolls of a few minutes: `npm run test:real -- forecast`. */
import { testForecasts } from './test-forecasts.ts';
import { SHORT_ROLLS } from './shapes.ts';

testForecasts(SHORT_ROLLS);
