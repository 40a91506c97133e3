"""What others wrote is never the sender's: quotes, mails answered or passed on, in every kind of mailbox that can hold them."""

from __future__ import annotations

import time
from datetime import UTC
from pathlib import Path

import pytest

from parser.message import has_words, own_lines
from scraper.mail import read_mail
from scraper.mailboxes.replies import marked
from scraper.model import Message

MINE = "protect Olek"
THEIRS = "kill Mira"


def own(message: Message) -> str:
    return "\n".join(line for _, line in own_lines(message.body))


@pytest.fixture
def sent(tmp_path: Path):  # type: ignore[no-untyped-def]
    def of(body: str, headers: str = "", kind: str = "plain") -> tuple[Message, list[str]]:
        path = tmp_path / "one.eml"
        head = f"From: Forum <forum@example.org>\nDate: Mon, 02 Mar 2026 19:05:00 +0000\nContent-Type: text/{kind}; charset=utf-8\n{headers}\n"
        path.write_bytes(head.encode() + body.encode())
        notes: list[str] = []
        (found,) = read_mail([path], timezone=UTC, notes=notes)
        return found, notes

    return of


OUTLOOK = [
    "From: Host <h@example.org>\nSent: Monday, 2 March 2026 18:00\nTo: Mira\nSubject: Night",
    "Von: Host <h@example.org>\nGesendet: Montag, 2. März 2026 18:00\nAn: Mira\nBetreff: Nacht",
    "De : Host <h@example.org>\nEnvoyé : lundi 2 mars 2026 18:00\nÀ : Mira\nObjet : Nuit",
    "De: Host <h@example.org>\nEnviado el: lunes, 2 de marzo de 2026 18:00\nPara: Mira\nAsunto: Noche",
    "Da: Host\nInviato: lunedì 2 marzo 2026 18:00\nA: Mira\nOggetto: Notte",
    "Van: Host\nVerzonden: maandag 2 maart 2026 18:00\nAan: Mira\nOnderwerp: Nacht",
    "Från: Host\nSkickat: den 2 mars 2026 18:00\nTill: Mira\nÄmne: Natt",
    "От: Host\nОтправлено: 2 марта 2026 г. 18:00\nКому: Mira\nТема: Ночь",
    "Od: Host\nWysłano: 2 marca 2026 18:00\nDo: Mira\nTemat: Noc",
    "از: Host\nتاریخ: ۲ مارس ۲۰۲۶\nبه: Mira\nموضوع: شب",
    "发件人: Host\n发送时间: 2026年3月2日 18:00\n收件人: Mira\n主题: 夜",
    "差出人: Host\n送信日時: 2026年3月2日 18:00\n宛先: Mira\n件名: 夜",
    "*From:* Host\n*Sent:* Monday\n*To:* Mira\n*Subject:* Night",
    "Gesendet: Montag, 2. März 2026 um 18:00 Uhr\nVon: Host <h@example.org>\nAn: m@example.org\nBetreff: Nacht",
    "Od: Host <h@example.org>\nPoslano: 2. ožujka 2026. 18:00\nPrima: Mira\nPredmet: Noć", "________________\nFrom: Host\nSent: Monday\nTo: Mira\nSubject: Night",
    "-------- Treść przekazanej wiadomości --------\nTemat: \tNoc\nData: \tMon, 02 Mar 2026 18:00:00 +0100\nNadawca: \tHost <h@example.org>",
    "-------- 転送メッセージ --------\n件名: \t夜\n日付: \tMon, 02 Mar 2026 18:00:00 +0100\n送信者: \tHost <h@example.org>\n宛先: \tm@example.org",
    "De : Host<mailto:h@example.org>\nEnvoyé le :lundi 2 mars 2026 18:00\nÀ : Mira<mailto:m@example.org>\nObjet :Nuit",
    "Inicio del mensaje reenviado:\n\nDe: Host <h@example.org>\nAsunto: Noche\nFecha: 2 de marzo de 2026, 18:00:00 CET\nPara: Mira",
]
WROTE = [
    "On Mon, 2 Mar 2026 at 18:00, Host <h@example.org> wrote:", "Am 02.03.26 um 18:00 schrieb Host:", "Le lun. 2 mars 2026 à 18:00, Host a écrit :",
    "El lun, 2 mar 2026 a las 18:00, Host (<h@example.org>) escribió:", "Il giorno lun 2 mar 2026 alle ore 18:00 Host ha scritto:",
    "Em seg., 2 de mar. de 2026 às 18:00, Host escreveu:", "Op ma 2 mrt 2026 om 18:00 schreef Host:", "Den mån 2 mars 2026 kl 18:00 skrev Host:",
    "pon., 2 mar 2026 o 18:00 Host napisał(a):", "пн, 2 мар. 2026 г. в 18:00, Host <h@example.org>:\n> wrote", "2 мар. 2026 г. Host пишет:",
    "در تاریخ دوشنبه ۲ مارس ۲۰۲۶ Host نوشت:", "ma 2. maalisk. 2026 klo 18.00 Host kirjoitti:", "Host ezt írta (időpont: 2026. márc. 2., H, 18:00):",
    "Host, 2 Mar 2026 Pzt, 18:00 tarihinde şunu yazdı:", "Host 于2026年3月2日周一 18:00写道：",
    "пн, 2 мар. 2026 г. в 18:00, Host <h@example.org>:", "2026年3月2日(月) 18:00 Host <h@example.org>:",
    "\u202bבתאריך יום ב׳, 2 במרץ 2026 ב-18:00 מאת \u202aHost\u202c\u200f <\u202ah@example.org\u202c\u200f>:\u202c",
    "Vào Th 2, 2 thg 3, 2026 vào lúc 18:00 Host <h@example.org> đã viết:", "W dniu 02.03.2026 o 18:00, Host pisze:",
    "Wiadomość napisana przez Host of the Game <h@example.org> w dniu 2 mar 2026, o godz.\n18:00:", "On Monday, 2 March 2026 at 18:00,\nHost of the Game <h@example.org>\nwrote:",
    "---- On Mon, 02 Mar 2026 18:00:00 +0100 Host &lt;h@example.org&gt; wrote ----", "---- On Mon, 02 Mar 2026 18:00:00 +0100 h@example.org wrote ---",
    "On Mon, 2 Mar 2026 18:00:00 +0100 Host <h@example.org> wrote", "Host <h@example.org> wrote:", "On 2 March 2026 at 18:00:05, Host said:",
    "2026-03-02 18:00 GMT+01:00 Host", "2026/3/2 Host via the Forum <h@example.org>", "2026-03-02 18:00 GMT+01:00 Host of the Game <\nh@example.org>:",
    "man. 2. mars 2026 kl. 18:00 skrev Host <h@example.org\n>:", "Host of the Game <h@example.org> schrieb am Mo., 2.\nMärz 2026 um 18:00 Uhr:",
    "Στις Δευ 2 Μαρ 2026 στις 18:00, ο χρήστης Host\n<h@example.org> έγραψε:", "pon., 2 mar 2026 o 18:00 Host\n<h@example.org> napisał(a):",
    "On Mon, Mar 2, 2026 at 6:00 PM Host of\nthe Game <h@example.org> wrote:",
]  # fmt: skip
LINES = [
    "-----Original Message-----", "-----Ursprüngliche Nachricht-----", "---------- Forwarded message ---------", "-------- Message d'origine --------",
    "-------- Исходное сообщение --------", "----- پیام اصلی -----", "Begin forwarded message:", "________ Original Message ________",
]  # fmt: skip


@pytest.mark.parametrize("heading", [*OUTLOOK, *WROTE[:9], *WROTE[10:], *LINES])
def test_a_mail_that_is_answered_is_not_the_senders(heading: str, sent) -> None:  # type: ignore[no-untyped-def]
    message, _ = sent(f"{MINE}\n\n{heading}\n\n{THEIRS}\nand more\n")
    assert own(message) == MINE
    assert THEIRS in message.body  # nothing is lost


@pytest.mark.parametrize(
    "text",
    [
        "From: the baker\nTo: the butcher", "Kill: Mira\nProtect: Olek\nTo: be sure", "kill Mira, as Anna wrote in post 12: do it now", "--- night 2 ---\nkill Mira",
        "From Anna to Bert: a letter\nkill Mira", "Kill: Mira\nBack: 18:00\nProtect: Olek", "Reach me at a@example.org until 18:00\n\nMy orders:\nkill Mira",
        "My orders for 2026:\nkill Mira", "My orders of 18:00:\n[b]kill Mira[/b]", "To: Olek\nSubject: my order\nkill Mira", "At 18:00 I said:\nkill Mira", "At 18:00 you said:\nI kill Mira", "On page 1024 Olek says:\nI kill Mira",
        "From:me\nTo:Mira\nDate:N2\nKill:Mira", "Hi\nTime: 18:00\nKill:@Mira\nProtect:@Olek", "> Shall I?\nkill Mira:", "on 2 I write: kill Mira", "=== orders ===\nkill Mira", "wrote:", "",
        "Hi,\nYou wrote that I have 2 shots.\nMy order:\nkill Mira", "As Anna wrote in post 12, Olek lies. So:\nkill Olek", "Anna wrote at 22:30 that Olek lies.\nMy order:\nkill Olek",
        "Night 2 was hard.\nAs you wrote, in this order:\nkill Mira", "Anna escribió 3 veces.\nMi orden:\nkill Mira", "Back at 18:00.\nAs you wrote, I do this:\n\n1. kill Mira",
        "On night 2 I kill Mira\nBack at 18:00\nAs you wrote, in this order:\nprotect Olek", "I am away until 2 March 2026.\nAs you wrote, in this order:\nkill Mira",
        "Anna wrote of it in 2026.\nMy order:\nkill Mira",
    ],
)  # fmt: skip
def test_a_senders_own_lines_are_not_taken_for_a_heading(text: str) -> None:
    assert marked(text) == text


@pytest.mark.parametrize("heading", ["26. 3. 2. 18:00에 Host 이(가) 쓴 글:", "2. 3. 2026, 18:00, Host:", "Host <h@example.org> :", "02.03.2026 18:00 uživatel \"Host\" <\nh@example.org>:"])
def test_a_heading_in_any_language_is_told_by_the_quote_below_it(heading: str, sent) -> None:  # type: ignore[no-untyped-def]
    assert own(sent(f"{MINE}\n\n{heading}\n\n> {THEIRS}\n")[0]) == MINE
    html = f"<p>{MINE}</p><div>{heading.replace('<', '&lt;')}<br></div><blockquote>{THEIRS}</blockquote>"
    assert own(sent(html, kind="html")[0]) == MINE


def test_html_mails_mark_what_they_quote(sent) -> None:  # type: ignore[no-untyped-def]
    outlook = f"<p>{MINE}</p><hr><div><b>Von:</b> Host<br><b>Gesendet:</b> Montag<br><b>An:</b> Mira<br><b>Betreff:</b> Nacht</div><p>{THEIRS}</p>"
    gmail = f"<div>{MINE}</div><div class='gmail_quote'>On Mon, 2 Mar 2026 Host wrote:<br><blockquote>{THEIRS}</blockquote></div>"
    for body in (outlook, gmail, f"<blockquote type='cite'>{THEIRS}</blockquote>{MINE}"):
        assert own(sent(body, kind="html")[0]) == MINE


@pytest.mark.parametrize("heading", ["Host <h@example.org> wrote:", "Host <h@example.org>:", "On Monday, Host <h@example.org> schrieb:"])
def test_an_order_with_a_time_just_above_a_heading_is_none_of_it(heading: str, sent) -> None:  # type: ignore[no-untyped-def]
    assert own(sent(f"{MINE} (at 21:45)\n{heading}\n> {THEIRS}\n")[0]) == f"{MINE} (at 21:45)"
    html = f"<div>{MINE} in 2026</div><div>{heading.replace('<', '&lt;')}</div><blockquote>{THEIRS}</blockquote>"
    assert own(sent(html, kind="html")[0]) == f"{MINE} in 2026"


@pytest.mark.parametrize(
    "order",
    [
        "Night 2: {}, away from 21:45", "N2: {} at 21:45", "2. {} at 21:45", "Nacht 2: {}, ab 21:45", "At 21:45 {}", "1. {}\n2. {}", "{} 18:00",
        "{}, else write to m@example.org", "m@example.org: {}", "On second thought {}", "Am besten {}", "El lobo {}", "Le loup {}", "در شب دوم {}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("heading", ["Host <h@example.org> wrote:", "On 02/03/2026 18:00, Host wrote:"])
def test_an_order_of_any_words_just_above_a_heading_is_none_of_it(order: str, heading: str, sent) -> None:  # type: ignore[no-untyped-def]
    mine = order.replace("{}", MINE)
    assert own(sent(f"Hi\n{mine}\n{heading}\n> {THEIRS}\n")[0]) == f"Hi\n{mine}"
    lines = "".join(f"<div>{line}</div>" for line in mine.split("\n"))
    html = f"<div>Hi</div>{lines}<div>{heading.replace('<', '&lt;')}</div><blockquote>{THEIRS}</blockquote>"
    assert own(sent(html, kind="html")[0]) == f"Hi\n{mine}"


@pytest.mark.parametrize("order", ["a@example.org: kill Mira", "Action:kill", "Kill: Mira\nAt 21:45 kill Olek", "From: me\nKill: Mira", "Date: 2 March 2026\nNight 2: kill Mira"])
@pytest.mark.parametrize("heading", [*WROTE[:3], "On Mon, Mar 2, 2026 at 6:00 PM Host of the Game <h@example.org>\nwrote:"])
def test_an_order_with_a_colon_just_above_a_heading_is_no_part_of_it(order: str, heading: str, sent) -> None:  # type: ignore[no-untyped-def]
    assert own(sent(f"{order}\n{heading}\n> {THEIRS}\n")[0]) == order


@pytest.mark.parametrize("order", ["Kill: Mira", "Kill: Mira\nProtect: Olek", "Kill:Mira"])
def test_an_order_with_a_colon_just_above_the_head_of_what_is_answered_is_no_part_of_it(order: str, sent) -> None:  # type: ignore[no-untyped-def]
    head = "From: Host <h@example.org>\nSent: Monday, 2 March 2026 18:00\nTo: Mira\nSubject: Night"
    assert own(sent(f"{order}\n{head}\n\n{THEIRS}\n")[0]) == order
    bold = head.replace("<", "&lt;").replace("From:", "<b>From:</b>").replace("\n", "<br>")
    html = "".join(f"<p>{line}</p>" for line in order.split("\n")) + f"<div><div style='border-top:solid'><p>{bold}</p></div></div>{THEIRS}"
    assert own(sent(html, kind="html")[0]) == order


@pytest.mark.parametrize("order", ["From: my room", "kill Olek\nDe: meu quarto\n1. kill Anna"])
def test_a_line_of_the_senders_that_says_from_is_no_part_of_the_head_below_it(order: str, sent) -> None:  # type: ignore[no-untyped-def]
    for line in ("_" * 32, "-----Original Message-----"):
        for head in ("From: Host\nSent: Monday\nTo: Mira\nSubject: Night", "From:Host <h@example.org>\nDate:2026-03-02 18:00\nTo:Anna\nSubject:N2"):
            assert own(sent(f"{order}\n\n{line}\n{head}\n\n{THEIRS}\n")[0]) == order


@pytest.mark.parametrize("mark", ["*{}* {}", "**{}** {}", "*{} *{}", "*{}*{}"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_head_whose_labels_stand_in_stars_is_the_mails_that_is_answered(mark: str, gap: str, sent) -> None:  # type: ignore[no-untyped-def]
    told = {"From:": "Host <h@example.org>", "Sent:": "Monday, 2 March 2026 18:00", "To:": "Mira <m@example.org>", "Subject:": "Night"}
    head = gap.join(mark.format(label, text) for label, text in told.items())
    assert own(sent(f"{MINE}\n\n{head}\n\n{THEIRS}\n")[0]) == MINE


@pytest.mark.parametrize("heading", ["Host wrote on 02/03/26:", "Den 2.3.26 skrev Host:", "Host of the Game wrote on 2 Sept.\n2026 18:00:"])
def test_a_heading_without_a_time_or_broken_behind_a_short_month_is_one(heading: str, sent) -> None:  # type: ignore[no-untyped-def]
    assert own(sent(f"{MINE}\n\n{heading}\n\n{THEIRS}\n")[0]) == MINE


def test_a_sentence_and_a_line_with_a_colon_are_no_heading_in_two_lines() -> None:
    for text in ("Am Montag schrieb ich dir schon.\nMein Zug:\nkill Mira", "Op pagina 4 schreef Anna dat Olek liegt.\nSo:\nkill Olek"):
        assert [line for _, line in own_lines(text)] == text.split("\n")
    broken = "Am 02.03.26 um 18:00 schrieb Host of\nthe Game:", "On Mon, 2 Mar 2026 at 18:00 The Host!\nwrote:", "Am 2. Sept.\nschrieb Host:"
    for head in broken:
        assert not has_words(f"{head}\nkill Mira")


@pytest.mark.parametrize("head", ["From:Host <h@example.org>\nDate:2026-03-02 18:00\nTo:Anna\nSubject:N2", *WROTE[3:4]])
def test_a_head_without_blanks_and_a_torn_one_in_brackets_are_the_mails_that_is_answered(head: str, sent) -> None:  # type: ignore[no-untyped-def]
    assert own(sent(f"{MINE}\n\n{head}\n\n{THEIRS}\n")[0]) == MINE
    assert own(sent(f"{MINE}\n\n{head.replace('.org>)', '.org' + chr(10) + '>)')}\n\n{THEIRS}\n")[0]) == MINE


@pytest.mark.parametrize("order", ["1. {}\n2. {}", "{} 18:00", "{} (post 1024)"])
def test_a_number_above_a_heading_without_a_date_makes_the_order_no_part_of_it(order: str, sent) -> None:  # type: ignore[no-untyped-def]
    mine = order.replace("{}", MINE)
    assert own(sent(f"{mine}\nHost wrote:\n> {THEIRS}\n")[0]) == mine


@pytest.mark.parametrize("torn", ["> On Mon, Mar 2, 2026 at 6:00 PM Host of the Game <h@example.org>\n> wrote:", "> Olek\n> wrote:", "> What now\n> :"])
def test_an_order_below_a_quote_that_holds_a_broken_heading_counts(torn: str, sent) -> None:  # type: ignore[no-untyped-def]
    assert own(sent(f"Hi\n\n{torn}\n>> {THEIRS}\n\n{MINE}\n")[0]) == f"Hi\n{MINE}"


@pytest.mark.parametrize(
    "box",
    [
        "div class='gmail_quote gmail_quote_container'", "div class='yahoo_quoted'", "div class='protonmail_quote'", "div class='zmail_extra'",
        "div id='divRplyFwdMsg' dir='ltr'", "div id='mail-editor-reference-message-container'", "span id='OLK_SRC_BODY_SECTION'",
    ],
)  # fmt: skip
def test_a_mail_programs_own_box_tells_what_is_answered_in_any_language(box: str, sent) -> None:  # type: ignore[no-untyped-def]
    body = f"<div>{MINE}</div><{box}><b>x</b> Host<br>y z</{box.split()[0]}><div>{THEIRS}</div>"
    message, _ = sent(body, kind="html")
    assert own(message) == MINE
    assert THEIRS in message.body
    quoted = f"<div>{MINE}</div><blockquote class='gmail_quote'>{THEIRS}</blockquote><div>and pass</div>"  # a quote that the sender put there
    assert own(sent(quoted, kind="html")[0]) == f"{MINE}\nand pass"
    within = f"<p>Hello</p><blockquote><p>{THEIRS}</p><br><{box}><p>earlier</p></{box.split()[0]}></blockquote><p>{MINE}</p>"
    assert own(sent(within, kind="html")[0]) == f"Hello\n{MINE}"


def test_a_signature_and_quoted_lines_are_left_out(sent) -> None:  # type: ignore[no-untyped-def]
    message, _ = sent(f"> {THEIRS}\n>> {THEIRS}\n{MINE}\n-- \n{THEIRS}\n")
    assert own(message) == MINE


@pytest.mark.parametrize(
    "line",
    [
        "Sent from my iPhone", "Sent from Yahoo Mail on Android", "Sent from my Samsung Galaxy S9.", "Get Outlook for iOS<https://aka.ms/x>", "Von meinem iPhone gesendet",
        "Gesendet von Outlook für Android<https://aka.ms/x>", "Envoyé de mon iPhone", "Enviado desde mi iPhone", "Inviato da iPhone", "Sendt fra min iPad", "Отправлено с iPhone",
    ],
)  # fmt: skip
def test_a_phones_line_is_no_order_and_no_words(line: str, sent) -> None:  # type: ignore[no-untyped-def]
    assert own(sent(f"{MINE}\n\n{line}\n")[0]) == MINE
    assert not has_words(f"{line}\n")


@pytest.mark.parametrize("line", ["Sent from my iPhone: kill Mira", "Sent from my desk, not my phone.", "Sent via Galaxy to Mira", "kill Mira. Sent from my iPhone"])
def test_what_stands_with_a_phones_words_is_not_lost(line: str) -> None:
    assert [text for _, text in own_lines(line)] == [line]


MYBB = "X-Mailer: MyBB\nSubject: New Private Message at Forum - Dusk\n"
RULE = "-" * 42


def mybb(text: str) -> str:
    return f"Host,\n\nYou have received a new private message on Forum from Mira:\n\n{RULE}\n{text}\n{RULE}\n\nTo view it: http://x\n"


def test_a_quote_that_mybb_has_flattened_in_its_notice_is_one_again(sent) -> None:  # type: ignore[no-untyped-def]
    for quote in (
        f"\nHost wrote:\n--\n{THEIRS}\n--\n", f"\nQuote:\n--\n{THEIRS}\n--\n", f"\nHost wrote: (02-03-2026, 07:05 PM)\n--\n{THEIRS}\n--\n",
        f"\nHost wrote:\n--\n\nAnna wrote:\n--\nkill all\n--\n{THEIRS}\n--\n",
    ):  # fmt: skip
        message, notes = sent(mybb(f"{quote}{MINE}"), MYBB)
        assert (message.sender, own(message), notes) == ("Mira", MINE, [])
    message, notes = sent(mybb(f"{MINE}\nHost wrote:\n--\n{THEIRS}\nno end"), MYBB)
    assert own(message) == MINE
    assert "a quote whose end the mail does not show" in notes[0]
    assert own(sent(mybb(f"{MINE}\n--\nMira"), MYBB)[0]) == MINE  # a line of dashes of the player's own


def test_all_below_a_quote_in_smfs_notice_is_the_quotes_as_its_end_is_not_told(sent) -> None:  # type: ignore[no-untyped-def]
    head = "Here is a personal message by Mira on Forum.\n\nThe message they sent you was:\n\n"
    tail = "\n\nReply to this Personal Message here: http://x\n"
    message, notes = sent(f"{head}{MINE}\nQuote from: Host on March 02, 2026\n{THEIRS}\nyes{tail}", "X-Mailer: SMF\n")
    assert (message.sender, own(message)) == ("Mira", MINE)
    assert "read it on the forum" in notes[0]


def test_a_text_made_to_waste_time_does_not() -> None:
    began = time.process_time()
    for text in ("a:\n" * 100_000, "from: x\n" * 50_000, "[b]" * 200_000, "on 2 x\n" * 100_000 + "wrote:", "-" * 300_000, "from" + ":" * 300_000):
        marked(text)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("below", "told"),
    [
        ("> kill Boris\n\nkill Anna\n", True), ("> kill Boris\n", False), ("> kill Boris\n\n-- \nAnn\n", False),
        ("kill Boris\nall that was said\n", False), ("> kill Boris\n> on\n\n\n", False),
    ],
)  # fmt: skip
def test_words_below_what_is_answered_count_as_quoted_and_the_gm_is_told(tmp_path: Path, below: str, told: bool) -> None:
    file, notes = tmp_path / "a.eml", []  # type: ignore[var-annotated]
    head = "From: Ann <ann@example.org>\nDate: Mon, 02 Nov 2026 21:00:00 +0000\nSubject: night\nMessage-ID: <1@x>\n\n"
    file.write_text(f"{head}Am 02.11.2026 um 20:00 schrieb GM:\n{below}", encoding="utf-8")
    (found,) = read_mail([file], timezone=UTC, notes=notes)
    assert own(found) == ""
    assert any("words below the mail that it answers" in note for note in notes) == told


@pytest.mark.parametrize(
    ("below", "told"),
    [
        ("<blockquote>kill<br>Boris</blockquote><p>kill Anna</p>", True), ("<blockquote>kill<br>Boris</blockquote><p> </p>", False),
        ("<blockquote>a<blockquote>b</blockquote>c</blockquote>", False), ("<blockquote>kill Boris</blockquote><div>-- <br>Ann</div>", False),
    ],
)  # fmt: skip
def test_words_below_what_is_answered_in_html_are_told_too(below: str, told: bool, sent) -> None:  # type: ignore[no-untyped-def]
    message, notes = sent(f"<p>Hi</p><div>Am 02.11.2026 um 20:00 schrieb GM:<br></div>{below}", kind="html")
    assert own(message) == "Hi"
    assert any("words below the mail that it answers" in note for note in notes) == told
