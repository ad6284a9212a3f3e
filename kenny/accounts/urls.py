"""Addresses below /accounts/: kenny's own pages first, allauth's after."""

from django.urls import include, path

from kenny.accounts import leaving, views

urlpatterns = [
    path("", views.account, name="account"),
    path("tokens/<str:token_key>/revoke/", views.revoke_token, name="revoke_token"),
    path("sessions/", views.session_list, name="session_list"),
    path("sessions/end-others/", views.end_other_sessions, name="end_other_sessions"),
    path("sessions/end-all/", views.end_all_sessions, name="end_all_sessions"),
    path("sessions/<int:number>/end/", views.end_session, name="end_session"),
    path("import/", leaving.take_back, name="take_back"),
    path("delete/", leaving.delete_account, name="delete_account"),
    path("theme/", views.choose_theme, name="choose_theme"),
    path("language/", views.choose_language, name="choose_language"),
    path("setup/<str:token>/", views.first_account, name="first_account"),
    path("", include("allauth.urls")),
]
