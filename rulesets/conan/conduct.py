"""Rules of conduct that a program can notice: it tells the GM and changes nothing (CON-CONDUCT, CON-COND-22)."""

from __future__ import annotations

from rulesets.conan.work import Scene


def dead_posts(scene: Scene) -> None:
    """Whoever was dead as the phase opened and posts in the thread, once a phase.  CON-COND-22, CON-CONDUCT-05"""
    told: set[str] = set()
    for post in scene.inputs.posts:
        dead = post.by in scene.state.role_of and post.by not in scene.present
        if dead and post.by not in told and post.id.startswith("post"):
            told.add(post.by)
            with scene.about(post.id):
                scene.notice("gm", "dead_post", "CON-COND-22", player=post.by, text=f"{post.by} is dead and has posted")
