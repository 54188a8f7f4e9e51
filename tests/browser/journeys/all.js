// The journeys in their order.

import "./pages.js";
import "./posted.js";
import "./keyboard.js";
import "./faults.js";
import "./live.js";
import "./desk.js";
import "./switching.js";
import "./kept.js";
import "./shared.js";
import "./followed.js";
import "./files.js";
import "./installed.js";
import "./together.js";
import "./without_script.js";
// Last: its names and texts are in every list from then on.
import "./corpus.js";
