"""Words in dates, language by language: months (from CLDR, by way of Babel), today and yesterday, halves of the day.

Month names of a language are loaded only when a page needs them; English ones are at hand.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# today / yesterday; words of a row are alternatives
_DAY_WORDS = """
today|yesterday; heute|gestern; aujourd'hui,aujourd’hui|hier; hoy|ayer; oggi|ieri; hoje|ontem
vandaag|gisteren; dzisiaj,dziś,dzis|wczoraj; сегодня|вчера; сьогодні|вчора; сёння,сення|учора; днес|вчера
денес|вчера; данас|јуче,јучер; danas|juče,jučer; danes|včeraj; dnes|včera; azi,astăzi|ieri
bugün,bu gün|dün,dünən; tänään|eilen; idag,i dag|igår,i går; täna|eile; šodien|vakar; šiandien|vakar
σήμερα|χθες,χτες,εχθές; היום|אתמול; اليوم|أمس,امس,البارحة,بالأمس; امروز|دیروز; 今日,本日,きょう|昨日,きのう; 今天|昨天; 오늘|어제
hôm nay|hôm qua; hari ini|kemarin,semalam; วันนี้|เมื่อวานนี้,เมื่อวาน; avui|ahir; gaur|atzo; hoxe|onte
hodiaŭ|hieraŭ; sot|dje; დღეს|გუშინ; այսօր|երեկ; í dag|í gær; inniu|inné; heddiw|ddoe; leo|jana; ngayon|kahapon
ma|tegnap; bûgün|duh; өнөөдөр|өчигдөр; бүгін|кеше; آج|گزشتہ کل
"""
_TOMORROW = "tomorrow,morgen,demain,mañana,domani,amanhã,jutro,завтра,yarın,فردا,غدا,明日,明天,내일"
# halves of the day that mean nothing else in any language; the rest come from CLDR with the page's language
_AM = (
    "am,a.m,a. m,vorm,ق.ظ,ق ظ,قبل از ظهر,صباحا,πμ,π.μ,öö,ö.ö,午前,上午,凌晨,早上,오전,ก่อนเที่ยง,до полудня,дп,"
    "dop,ap,atm,priešpiet,पूर्वाह्न"
)
_PM = (
    "pm,p.m,p. m,nachm,ب.ظ,ب ظ,بعد از ظهر,مساء,μμ,μ.μ,ös,ö.s,午後,下午,晚上,오후,หลังเที่ยง,после полудня,пп,"
    "pop,ip,ptm,popiet,अपराह्न"
)
_HOUR = re.compile(
    "hour|stund|heure|hora|ore\\b|ora\\b|uur|uren|час|годин|godz|saat|sat[ia]?\\b|ساعت|ساعة|時間|小时|小時|시간|timm|time[rn]?\\b|tunti|"
    "tunnin|hodin|ora[kv]|ωρ|שעה|שעות|gio\\b|jam\\b|ชั่วโมง|valand|tund|stund"
)
_MINUTE = re.compile(
    "min|perc\\b|perce|dak|دقیق|دقيق|دقائق|мин|хвил|λεπτ|דק|分|분|phut|นาที|րոպե|წუთ|मिनट"
)
_MOMENT = re.compile(
    "\\bnow\\b|moment|instant|gerade eben|ahora|adesso|agora|nyss|сейчас|только что|الان|الآن|たった今|刚刚|方才|방금"
)
_SECOND = re.compile("second|sekund|segund|secund|секунд|ثانی|ثاني|秒|초|saniye|sekunt|δευτερολ|שניות")
_MONTHS = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
)
_JALALI = (
    "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند",
    "farvardin ordibehesht khordad tir mordad shahrivar mehr aban azar dey bahman esfand",
)
# spellings that forums use and CLDR does not
_EXTRA = {
    "fa": "ژانویه فوریه مارس آوریل می ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر|"
    "ژانویه فوریه مارچ آپریل مه جون جولای آگوست سپتامبر اکتبر نوامبر دسامبر",
    "ar": "يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر|"
    "كانون٢ شباط اذار نيسان ايار حزيران تموز اب ايلول تشرين١ تشرين٢ كانون١",
    "cs": "led uno bre dub kve cer cec srp zar rij lis pro",
    "pl": "sty lut mar kwi maj cze lip sie wrz paz lis gru",
    "hu": "jan feb mar apr maj jun jul aug szept okt nov dec",
    "ru": "янв фев мар апр май июн июл авг сен окт ноя дек",
    "uk": "січ лют бер кві тра чер лип сер вер жов лис гру",
}
COMMON = (
    "de", "fr", "es", "it", "pt", "nl", "ru", "pl", "tr", "fa", "ar", "uk", "cs", "sv", "da", "nb", "fi", "hu", "ro",
    "el", "he", "ja", "zh", "ko", "vi", "id", "th", "bg", "sr", "hr", "sl", "sk", "et", "lv", "lt", "ca", "gl", "eu",
    "sq", "mk", "ka", "hy", "az", "is", "ms", "hi", "be", "eo",
)  # fmt: skip
JALALI = 100  # months of the Solar Hijri calendar are counted from 101
_DIGIT_ZEROS = (0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0x1040, 0x17E0, 0xFF10)
_TRANSLATED: dict[int, str | None] = {zero + digit: str(digit) for zero in _DIGIT_ZEROS for digit in range(10)}
_TRANSLATED |= dict.fromkeys((0x200B, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x2066, 0x2067, 0x2068, 0x2069, 0x61C, 0xAD, 0x640))
_TRANSLATED |= {
    0x200C: "",
    0xA0: " ",
    0x202F: " ",
    0x64A: "ی",
    0x649: "ی",
    0x643: "ک",
    0x66B: ":",
    0xFF1A: ":",
    0x60C: ",",
    0x2019: "'",
}


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """`text` for comparing: one kind of digits and blanks, no accents, no marks of direction, case folded."""
    if text.isascii():
        return " ".join(text.casefold().split())
    text = unicodedata.normalize("NFKC", text.translate(_TRANSLATED)).casefold()
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return " ".join(unicodedata.normalize("NFC", bare).translate(_TRANSLATED).split())  # what hamza stood on is plain too


def _wordwise(words: list[str]) -> str:
    """A pattern for any of `words`, as whole words where the script has blanks between words."""
    longest = sorted({plain(word) for word in words if word}, key=len, reverse=True)
    return "|".join(re.escape(word) if _unspaced(word) else rf"(?<!\w){re.escape(word)}(?!\w)" for word in longest)


def _unspaced(word: str) -> bool:
    return any("\u0e00" <= sign <= "\u0eff" or "\u2e80" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7a3" for sign in word)


def _day_words(column: int) -> list[str]:
    return [word.strip() for row in re.split("[;\n]", _DAY_WORDS) if "|" in row for word in row.split("|")[column].split(",")]


DAY_WORD = re.compile(
    f"(?P<yesterday>{_wordwise(_day_words(1))})|(?P<today>{_wordwise(_day_words(0))})|(?P<tomorrow>{_wordwise(_TOMORROW.split(','))})"
)


@lru_cache(maxsize=64)
def halves(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for a.m. and p.m. right behind and right before a time; the group that matched is `am` or `pm`."""
    morning, evening = _AM.split(","), _PM.split(",")
    locale = _locale(language)
    if locale is not None:
        for width in ("abbreviated", "wide"):
            periods = locale.day_periods.get("format", {}).get(width, {})
            morning.append(str(periods.get("am", "")))
            evening.append(str(periods.get("pm", "")))
    parts = [_alternatives(words) for words in (morning, evening)]
    either = rf"(?:(?P<am>{parts[0]})|(?P<pm>{parts[1]}))"
    return re.compile(rf"[\s,.]*{either}\.?(?!\w)"), re.compile(rf"(?<![^\W\d_]){either}\.?\s*$")


def _alternatives(words: list[str]) -> str:
    longest = sorted({plain(word).rstrip(".") for word in words if word}, key=len, reverse=True)
    return "|".join(re.escape(word) for word in longest if word)


def ago_minutes(text: str, language: str = "en") -> int | None:
    """How long ago `text` (already `plain`) says, in minutes: "54 minutes ago" is 54, "less than a minute ago" 0.

    None where it counts in days or longer, which tells no hour, or in no unit that is known: words alone are no moment.
    """
    numbers = re.findall(r"\d+", text)
    if len(numbers) > 1:
        return None
    count = int(numbers[0][:6]) if numbers else 0
    if _HOUR.search(text) or any(word in text for word in _unit_words(language, "hour")):
        return (count if numbers else 1) * 60
    if _MINUTE.search(text) or any(word in text for word in _unit_words(language, "minute")):
        return count
    return 0 if _SECOND.search(text) or (not numbers and _MOMENT.search(text)) else None


@lru_cache(maxsize=64)
def _unit_words(language: str, unit: str) -> frozenset[str]:
    """The words by which a language counts hours or minutes."""
    locale = _locale(language)
    if locale is None:
        return frozenset()
    from babel.units import format_unit

    kind, counts = f"duration-{unit}", (1, 2, 3, 5)  # a language may have a form for each of these
    forms = [format_unit(count, kind, "long", locale=locale) for count in counts]
    forms += [format_unit(count, kind, "short", locale=locale) for count in counts]
    words = {re.sub(r"\d+", " ", plain(form)).strip(" .") for form in forms}
    return frozenset(word for word in words if len(word) > 1)


@lru_cache(maxsize=64)
def months(language: str) -> tuple[dict[str, int], tuple[tuple[str, int], ...], frozenset[str]]:
    """Month names of `language` and of English: as words, as phrases (longest first), and the weekdays' names."""
    names: dict[str, int] = {}
    weekdays: set[str] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
    rows = list(_MONTHS) + _EXTRA.get(language[:2], "").split("|")
    for row in rows:
        names.update({plain(name): number for number, name in enumerate(row.split(), start=1)})
    locale = _locale(language)
    if locale is not None:
        for widths in locale.months.values():
            for width in ("wide", "abbreviated"):
                for number, name in widths.get(width, {}).items():
                    names.setdefault(plain(str(name)).rstrip("."), number)
        for widths in locale.days.values():
            for width in ("wide", "abbreviated"):
                weekdays.update(plain(str(name)).rstrip(".") for name in widths.get(width, {}).values())
    for row in _JALALI:
        for number, name in enumerate(row.split(), start=1):
            names.setdefault(plain(name), JALALI + number)
    names = {name: number for name, number in names.items() if name and not re.search(r"\d", name)}
    phrases = [(name, number) for name, number in names.items() if _unspaced(name) or not name.isalpha()]
    return names, tuple(sorted(phrases, key=lambda pair: -len(pair[0]))), frozenset(weekdays)


@lru_cache(maxsize=64)
def _locale(language: str):  # type: ignore[no-untyped-def]
    if language in ("", "en"):
        return None
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError, TypeError):
        try:
            return Locale.parse(re.split("[-_]", language)[0])
        except (UnknownLocaleError, ValueError, TypeError):
            return None


_WORD = re.compile(r"[^\W\d_]+")
_NUMBERED_MONTH = re.compile(r"(?<!\w)(?:thang|thg)\.? (\d{1,2})(?!\d)")  # Vietnamese counts its months


def month_in(text: str, language: str) -> tuple[int, int] | None:
    """The month that `text` (already `plain`) names and where it stands; None if it names none.

    A whole name goes before a beginning of one, and a word that could be a weekday's comes last ("mar" in Spanish).
    """
    names, phrases, weekdays = months(language)
    words = [(match.group(), match.start()) for match in _WORD.finditer(text)]
    for word, at in words:
        if word in names and word not in weekdays:
            return names[word], at
    for phrase, number in phrases:
        at = text.find(phrase)
        if at >= 0:
            return number, at
    for word, at in words:
        begun = _month_begun(word, names) if word not in weekdays else None
        if begun is not None:
            return begun, at
    return next(((names[word], at) for word, at in words if word in names), None)


def numbered_month(text: str) -> tuple[int, str] | None:
    """The month of "thg 11" and the text without it, and without weekdays that are numbers; None where it is not so written."""
    match = _NUMBERED_MONTH.search(text)
    if match is None or not 1 <= int(match[1]) <= 12:
        return None
    return int(match[1]), re.sub(r"(?<!\w)thu \d(?!\d)", " ", text[: match.start()] + " " + text[match.end() :])


def _month_begun(word: str, names: dict[str, int]) -> int | None:
    """The month that `word` begins or goes on from, by three letters or more; of two the earlier ("jui" is June)."""
    if len(word) < 3 or _unspaced(word):
        return None
    fits = [
        number
        for name, number in names.items()
        if number < JALALI and len(name) >= 3 and (name.startswith(word) or (len(name) > 3 and word.startswith(name)))
    ]
    return min(fits) if fits else None
