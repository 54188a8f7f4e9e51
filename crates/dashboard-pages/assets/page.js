// What every page does where scripts run. Each part stands by itself, and no page needs one to work.

import { sendAgain, sendLink } from "./forms.js";
import { showTimes } from "./times.js";

sendLink();
sendAgain();
showTimes(document);
